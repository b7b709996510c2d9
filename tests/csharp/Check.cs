// Checks of Ashta.cs: `games NAME SEATS SHEET...` plays games (SHEET is a file or `-`), `broken BOT`, `loads BOT`.
using System;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using Ashta;

static class Check {
    static void That(bool isTrue, object what) {
        if (!isTrue) throw new Exception("failed: " + what);
    }

    /// Plays a game. A baseline plays two turns of three; the others are random.
    static void Play(Game game, Bot bot, Random random) {
        var state = game.InitialState(seed: 3);
        That(state.Equals(game.InitialState(seed: 3)) && game.ParseState(state.ToString()).Equals(state), state);
        var pieces = state.ToString().Split(' ')[1].Split(',', '/').Length;
        for (var number = 0; !state.IsTerminal; number++) {
            That(number < 20000 && state.Returns.Sum() == 0 && state.TurnPlayer < game.Seats.Length, state);
            var turns = state.Turns();
            if (state.IsChanceNode) {
                state = state.Throw(random);
                That(turns.Count == 0 && state.Thrown.Count > 0, state);
                continue;
            }
            var chosen = number % 3 > 0 ? bot.Choose(state, seed: (ulong)number) : turns[random.Next(turns.Count)];
            That(turns.Any(turn => turn.Result.Equals(chosen.Result) && turn.Words == chosen.Words), state);
            That(chosen.Moves.All(move => move.Pieces.All(piece => piece < pieces) && move.Place != ""), chosen);
            foreach (var action in chosen.Actions) {
                That(state.LegalActions().Contains(action) && state.ActionToString(action) != "", chosen);
                state = state.Apply(action);
            }
            That(state.Equals(chosen.Result), chosen);
        }
        // A game without a winner is a draw.
        That(state.TurnPlayer == -1 && (state.Returns.Max() == 1 || state.Returns.Distinct().Count() == 1), state);
        That(bot.Values(state).SequenceEqual(state.Returns), state);
    }

    static void Refused<T>(string part, Func<object> call) where T : Exception {
        try {
            call();
        } catch (T error) {
            That(error.Message.Contains(part), error.Message + " does not contain " + part);
            return;
        }
        That(false, "not refused: " + part);
    }

    static void Broken(byte[] content) {
        var game = Game.Load("ashtapada");
        var state = game.ParseState("ashtapada S:5,30/N:off,23 S 4,2");
        That(game.ParseState(state + "\t3\n").Equals(state), state);
        That(game.Ask("{\"op\": \"legal\", \"position\": \"" + state + "\"}").Contains(state.ActionToString(0)), state);
        var bot = Bot.Load(content);
        That(Math.Abs(bot.Values(state).Sum() - 1) < 1e-5 && bot.Choose(state, "2ply").Moves[0].From == "H3", state);
        var choices = Enumerable.Range(0, 50).Select(seed => bot.Choose(state, "novice", (ulong)seed).Result);
        That(choices.Distinct().Count() > 1, "a novice always chooses " + choices.First());
        var drawn = Enumerable.Range(0, 50).Select(_ => bot.Choose(state, "novice").Result + " " + game.InitialState());
        That(drawn.Distinct().Count() > 1, "no seed is always the same seed");
        Refused<AshtaException>("unknown game `går`", () => Game.Load("går"));
        Refused<AshtaException>("`seats` must be 2, 3 or 4", () => Game.Load("ashtapada", 5));
        Refused<AshtaException>("NULL", () => Game.Load(null));
        Refused<AshtaException>("U+0000", () => Game.Load("ashtapada\0"));
        Refused<AshtaException>("sheet:1", () => Game.Load("mine", sheet: "title = 3"));
        Refused<AshtaException>("`start` must be one of the seats SN", () => game.InitialState(2));
        foreach (var text in new[] { "", "ashtapada", "ashtapada S:5,99/N:off,23 S 4,2", "\t\n", "\ud800", null })
            Refused<AshtaException>("", () => game.ParseState(text));
        Refused<AshtaException>("for the seats SN", () => game.ParseState("siga S:off,off/N:off,off S *"));
        Refused<AshtaException>("is not legal", () => state.Apply(8));
        Refused<AshtaException>("whole number", () => state.Apply(-1));
        Refused<AshtaException>("not a decision", () => bot.Choose(game.InitialState()));
        Refused<AshtaException>("not a look-ahead", () => bot.Choose(state, "sideways"));
        Refused<AshtaException>("was made for", () => bot.Values(Game.Load("siga").InitialState()));
        Refused<AshtaException>("nobody", () => Bot.Load("nobody"));
        Refused<AshtaException>("NULL", () => Bot.Load((byte[])null));
        foreach (var length in Enumerable.Range(0, 20).Select(part => part * (content.Length - 1) / 19))
            Refused<AshtaException>("", () => Bot.Load(content.Take(length).ToArray()));
        bot.Dispose();
        Refused<ObjectDisposedException>("", () => bot.Choose(state, "policy"));
    }

    static long Memory() => long.Parse(File.ReadAllText("/proc/self/statm").Split(' ')[1]) * 4096;

    /// Loads and frees a bot 10,000 times, on several threads.
    static void Loads(byte[] content) {
        Action<int> load = number => Bot.Load(content).Dispose();
        Parallel.For(0, 1000, load);
        var before = Memory();
        Parallel.For(0, 9000, load);
        That(Memory() - before < 20 << 20, "memory: " + before + " bytes, later " + Memory());
    }

    static void Main(string[] arguments) {
        var random = new Random(1);
        for (var at = 1; arguments[0] == "games" && at < arguments.Length; at += 3) {
            var sheet = arguments[at + 2] == "-" ? null : File.ReadAllText(arguments[at + 2]);
            Play(Game.Load(arguments[at], arguments[at + 1], sheet), Bot.Load("greedy"), random);
        }
        if (arguments[0] == "broken") Broken(File.ReadAllBytes(arguments[1]));
        if (arguments[0] == "loads") Loads(File.ReadAllBytes(arguments[1]));
    }
}
