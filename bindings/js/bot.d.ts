/** The bytes of a bot file, for `Bot.load`. */
declare const bot: Uint8Array;
export default bot;
