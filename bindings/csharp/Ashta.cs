// Rules and bots of race games for Unity, Godot and .NET, over the C library. docs/csharp.md explains its use. C# 7.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.InteropServices;
using System.Text;

namespace Ashta {
    /// <summary>The library refused a call. The message says why.</summary>
    public sealed class AshtaException : Exception {
        internal AshtaException(string message) : base(message) { }
    }

    /// <summary>The rules of one game for certain seats.</summary>
    public sealed class Game {
        internal readonly Agent Rules = Agent.Named("greedy");
        internal readonly string Sheet;
        /// <summary>The name of the game with its house rules.</summary>
        public string Name { get; }
        /// <summary>The letters of the seats. Players are numbers from 0 in this order.</summary>
        public string Seats { get; }

        Game(string name, string seats, string sheet) {
            Sheet = sheet;
            Rules.Learn(sheet);
            var position = New(name, seats, null, 0).Split(' ');
            Name = position[0];
            Seats = SeatsOf(position);
        }

        static string SeatsOf(string[] position) => string.Concat(position[1].Split('/').Select(seat => seat[0]));

        string New(string name, string seats, string first, ulong seed) => Native.ashta_new_game(
            Rules, Native.Bytes(name), Native.Bytes(seats), Native.Bytes(first), seed).Take();

        /// <summary>Returns a game with house rules, such as `pagade?teams=true`. 0 seats means the usual seats. A game
        /// that is not built in needs its sheet.</summary>
        public static Game Load(string name, int seats = 0, string sheet = null) =>
            new Game(name, seats == 0 ? null : seats.ToString(), sheet);

        /// <summary>Returns a game for the seats with these letters, such as `SEW`.</summary>
        public static Game Load(string name, string seats, string sheet = null) => new Game(name, seats, sheet);

        /// <summary>Returns the position before the first throw. Without `firstPlayer`, `seed` determines the first
        /// player.</summary>
        public State InitialState(int? firstPlayer = null, ulong seed = 0) {
            var isPlayer = firstPlayer >= 0 && firstPlayer < Seats.Length;
            var first = isPlayer ? Seats[firstPlayer.Value].ToString() : firstPlayer?.ToString();
            return new State(this, New(Name, Seats, first, seed));
        }

        /// <summary>Reads a position of this game in the notation.</summary>
        public State ParseState(string position) {
            var state = new State(this, position);
            // Reading a property checks the position.
            var isOver = state.IsTerminal;
            var parts = position.Split(' ');
            if (parts[0] == Name && SeatsOf(parts) == Seats) return state;
            throw new AshtaException($"`{position}` is not a position of {Name} for the seats {Seats}");
        }
    }

    /// <summary>A position of a game. States never change: methods return new states.</summary>
    public sealed class State {
        readonly string text;
        int node = -1, player;
        readonly float[] returns = new float[4];
        public Game Game { get; }
        /// <summary>The values of the dice, if a throw led to this state.</summary>
        public IReadOnlyList<int> Thrown { get; }

        internal State(Game game, string text, string thrown = "-") {
            Game = game;
            this.text = text;
            Thrown = Native.Numbers(thrown);
        }

        int Look() {
            if (node == -1) node = Native.ashta_node(Game.Rules, Native.Bytes(text), out player, returns);
            return node >= 0 ? node : throw Native.Failure();
        }

        /// <summary>Whether the dice must be thrown now.</summary>
        public bool IsChanceNode => Look() == 0;
        /// <summary>Whether the game is over.</summary>
        public bool IsTerminal => Look() == 2;
        /// <summary>The player who throws or chooses; -1 at the end.</summary>
        public int TurnPlayer => Look() == 2 ? -1 : player;
        /// <summary>The return of each player, 0 to 1; 0 before the end.</summary>
        public IReadOnlyList<float> Returns => Look() < 0 ? null : returns.Take(Game.Seats.Length).ToArray();

        /// <summary>Throws the dice once. Some games need several throws for one turn.</summary>
        public State Throw(Random random) {
            var bits = new byte[8];
            random.NextBytes(bits);
            return Throw(BitConverter.ToUInt64(bits, 0));
        }

        /// <summary>Throws the dice once, with 64 random bits.</summary>
        public State Throw(ulong bits) {
            var fields = Native.ashta_throw(Game.Rules, Native.Bytes(text), bits).Take().Split('\t');
            return new State(Game, fields[0], fields[1]);
        }

        /// <summary>All ways to play the turn. Empty if there is nothing to choose.</summary>
        public IReadOnlyList<Turn> Turns() =>
            Lines(Native.ashta_turns(Game.Rules, Native.Bytes(text))).Select(line => new Turn(Game, line)).ToList();

        /// <summary>The legal actions: steps of a turn, by number.</summary>
        public IReadOnlyList<int> LegalActions() => Legal().Keys.ToList();

        /// <summary>A legal action as text.</summary>
        public string ActionToString(int action) =>
            Legal().TryGetValue(action, out var found)
                ? found : throw new AshtaException($"action {action} is not legal here");

        /// <summary>Returns the state after a legal action.</summary>
        public State Apply(int action) =>
            new State(Game, Native.ashta_apply(Game.Rules, Native.Bytes(text), action).Take());

        SortedDictionary<int, string> Legal() => new SortedDictionary<int, string>(
            Lines(Native.ashta_legal(Game.Rules, Native.Bytes(text))).Select(line => line.Split('\t'))
                .ToDictionary(fields => int.Parse(fields[0]), fields => fields[1]));

        static IEnumerable<string> Lines(Text found) => found.Take().Split('\n').Where(line => line != "");

        /// <summary>The position in the notation.</summary>
        public override string ToString() => text;
        public override bool Equals(object other) => other is State state && state.text == text;
        public override int GetHashCode() => text.GetHashCode();
    }

    /// <summary>A whole turn.</summary>
    public sealed class Turn {
        /// <summary>The state after the turn.</summary>
        public State Result { get; }
        /// <summary>The actions of the turn, in order.</summary>
        public IReadOnlyList<int> Actions { get; }
        /// <summary>The turn in words, with its effects.</summary>
        public string Words { get; }
        /// <summary>The squares on which the turn captures.</summary>
        public IReadOnlyList<string> Captures { get; }
        public IReadOnlyList<Move> Moves { get; }

        internal Turn(Game game, string line) {
            var fields = line.Split('\t');
            Result = new State(game, fields[0]);
            Actions = Native.Numbers(fields[1]);
            Words = fields[2];
            Captures = Native.List(fields[3]);
            Moves = fields.Skip(4).Select(field => new Move(field.Split(' '))).ToList();
        }

        public override string ToString() => Words;
    }

    /// <summary>A move of one piece, or of pieces that move as one.</summary>
    public sealed class Move {
        /// <summary>The pieces, as numbers from 0 in the order of the position.</summary>
        public IReadOnlyList<int> Pieces { get; }
        /// <summary>The square that the pieces leave; null if they were off the board.</summary>
        public string From { get; }
        /// <summary>The squares of the steps; the last is the square that the pieces reach.</summary>
        public IReadOnlyList<string> Path { get; }
        /// <summary>The place that the pieces reach, as in the notation.</summary>
        public string Place { get; }
        /// <summary>The throws that the move uses.</summary>
        public IReadOnlyList<int> Throws { get; }

        internal Move(string[] words) {
            Pieces = Native.Numbers(words[0]);
            From = words[1] == "-" ? null : words[1];
            Path = Native.List(words[2]);
            Place = words[3];
            Throws = Native.Numbers(words[4]);
        }
    }

    /// <summary>A bot, a baseline or perfect play. Several threads can use one bot: their calls wait for each other.
    /// </summary>
    public sealed class Bot : IDisposable {
        readonly Func<string, Agent> load;
        readonly Dictionary<string, Agent> agents = new Dictionary<string, Agent>();

        Bot(Func<string, Agent> load) {
            this.load = load;
            Of("", null);
        }

        /// <summary>Loads the file of a bot or a table by its path, or a baseline: `greedy`.</summary>
        public static Bot Load(string name) =>
            new Bot(lookahead => Agent.Named(lookahead == "" ? name : name + "+" + lookahead));

        /// <summary>Loads the content of the file of a bot or a table.</summary>
        public static Bot Load(byte[] content) => new Bot(lookahead => Native.Valid(
            Native.ashta_agent_read(content, (UIntPtr)(content?.Length ?? 0), Native.Bytes(lookahead))));

        Agent Of(string lookahead, State state) {
            lookahead = lookahead ?? "";
            lock (agents) {
                if (!agents.TryGetValue(lookahead, out var agent)) agents[lookahead] = agent = load(lookahead);
                agent.Learn(state?.Game.Sheet);
                return agent;
            }
        }

        /// <summary>Returns the turn that the bot plays. `lookahead` is `2ply`, `mcts:800`, `policy`, or a level such as
        /// `novice`; by default one ply. Equal states and seeds give equal turns.</summary>
        public Turn Choose(State state, string lookahead = "", ulong seed = 0) => new Turn(
            state.Game, Native.ashta_choose_turn(Of(lookahead, state), Native.Bytes(state.ToString()), seed).Take());

        /// <summary>Returns the value of the state for each player, 0 to 1.</summary>
        public float[] Values(State state, string lookahead = "") {
            var values = new float[4];
            var count = Native.ashta_evaluate(Of(lookahead, state), Native.Bytes(state.ToString()), values);
            return count >= 0 ? values.Take(count).ToArray() : throw Native.Failure();
        }

        /// <summary>Frees the memory of the bot.</summary>
        public void Dispose() {
            lock (agents) foreach (var agent in agents.Values) agent.Dispose();
        }
    }

    sealed class Agent : SafeHandle {
        string sheet;
        Agent() : base(IntPtr.Zero, true) { }
        public override bool IsInvalid => handle == IntPtr.Zero;
        protected override bool ReleaseHandle() { Native.ashta_agent_free(handle); return true; }

        internal static Agent Named(string name) => Native.Valid(Native.ashta_agent_named(Native.Bytes(name)));

        /// Makes the game of a sheet known. A text with one line would be the name of a game.
        internal void Learn(string text) {
            if (text == null || text == sheet) return;
            Native.ashta_new_game(this, Native.Bytes(text + "\n"), null, null, 0).Take();
            sheet = text;
        }
    }

    sealed class Text : SafeHandle {
        Text() : base(IntPtr.Zero, true) { }
        public override bool IsInvalid => handle == IntPtr.Zero;
        protected override bool ReleaseHandle() { Native.ashta_text_free(handle); return true; }

        internal string Take() {
            using (this) return Native.Read(Native.Valid(this).handle);
        }
    }

    static class Native {
        const string Library = "ashta";

        [DllImport(Library)] internal static extern Agent ashta_agent_named(byte[] name);
        [DllImport(Library)] internal static extern Agent ashta_agent_read(
            byte[] content, UIntPtr length, byte[] lookahead);
        [DllImport(Library)] internal static extern void ashta_agent_free(IntPtr agent);
        [DllImport(Library)] internal static extern Text ashta_new_game(
            Agent rules, byte[] game, byte[] seats, byte[] first, ulong seed);
        [DllImport(Library)] internal static extern int ashta_node(
            Agent rules, byte[] position, out int seat, [Out] float[] returns);
        [DllImport(Library)] internal static extern Text ashta_throw(Agent rules, byte[] position, ulong bits);
        [DllImport(Library)] internal static extern Text ashta_turns(Agent rules, byte[] position);
        [DllImport(Library)] internal static extern Text ashta_legal(Agent rules, byte[] position);
        [DllImport(Library)] internal static extern Text ashta_apply(Agent rules, byte[] position, int action);
        [DllImport(Library)] internal static extern Text ashta_choose_turn(Agent agent, byte[] position, ulong seed);
        [DllImport(Library)] internal static extern int ashta_evaluate(
            Agent agent, byte[] position, [Out] float[] values);
        [DllImport(Library)] internal static extern void ashta_text_free(IntPtr text);
        [DllImport(Library)] static extern IntPtr ashta_last_error();

        internal static AshtaException Failure() => new AshtaException(Read(ashta_last_error()));

        internal static T Valid<T>(T found) where T : SafeHandle => found.IsInvalid ? throw Failure() : found;

        /// The text as UTF-8 with a zero byte at its end.
        internal static byte[] Bytes(string text) {
            if (text != null && text.Contains("\0")) throw new AshtaException("a text contains the character U+0000");
            return text == null ? null : Encoding.UTF8.GetBytes(text + "\0");
        }

        internal static string Read(IntPtr at) {
            var length = 0;
            while (Marshal.ReadByte(at, length) != 0) length++;
            var bytes = new byte[length];
            Marshal.Copy(at, bytes, 0, length);
            return Encoding.UTF8.GetString(bytes);
        }

        internal static IReadOnlyList<string> List(string field) => field == "-" ? new string[0] : field.Split(',');

        internal static IReadOnlyList<int> Numbers(string field) => List(field).Select(int.Parse).ToList();
    }
}
