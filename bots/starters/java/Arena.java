import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;

/** Reads messages, asks the bot for its moves, answers. Leave this file alone. */
final class Arena {
    /** Prints a line to standard error; standard output belongs to the arena. */
    static void log(Object value) {
        System.err.println(value);
    }

    /** Plays match after match, until the arena says {@code quit} or closes the input. */
    public static void main(String[] arguments) throws IOException {
        var input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        var output = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        Start start = null;
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            Json message = Json.read(line);
            switch (message.get("type").string()) {
                case "hello" -> {
                    warmUp();
                    output.print("{\"type\":\"hello\",\"protocol\":1}\n");
                }
                case "start" -> start = Start.of(message);
                case "turn" -> output.print(answer(message, start));
                case "quit" -> {
                    return;
                }
                default -> {} // `end`, `error`, or of a later release: needs no answer
            }
            if (output.checkError()) {
                throw new IOException("cannot write to standard output");
            }
        }
    }

    private static String answer(Json message, Start start) {
        Turn turn = Turn.of(message);
        String move = Bot.chooseMove(turn, start).text();
        return "{\"type\":\"move\",\"move\":" + move + ",\"ply\":" + turn.ply() + "}\n";
    }

    /**
     * Answers a turn before there is a match, when no clock runs: to load what the first move needs
     * takes a Java program longer than a hundred moves.
     */
    private static void warmUp() {
        String position = "{'pits':[[1,0],[1,0]],'stores':[0,0],'to_move':0}";
        String start =
                "{'type':'start','match':'','game':'kalah','options':{'pits':2},'seat':0,'seats':2,"
                        + "'names':['a','b'],'position':POSITION,'time':{'grace_ms':20},'seed':1,"
                        + "'ponder':true}";
        String turn =
                "{'type':'turn','match':'','ply':0,'seat':0,'position':POSITION,'legal':[0],"
                        + "'since':[],'move_ms_max':1000,'last_ms':0.5}";
        answer(example(turn, position), Start.of(example(start, position)));
    }

    private static Json example(String line, String position) {
        return Json.read(line.replace("POSITION", position).replace('\'', '"'));
    }

    private Arena() {}

    /**
     * A move.
     *
     * @param text as the arena wrote it
     * @param pit the number of the pit, or -1 where it is something else
     */
    record Move(String text, int pit) {
        private static Move of(Json json) {
            return new Move(json.text(), json.integer(-1));
        }
    }

    /**
     * A position: by seat, and by pit where there is a second index. What a game does not have is
     * empty.
     *
     * @param toMove -1 where the match is over
     * @param uurOwner -1 where the pit is an ordinary one
     */
    record Position(
            int[][] pits,
            int toMove,
            int[] stores,
            int[] captured,
            int[][] uurOwner,
            int[] active,
            int[] finished,
            int[] left) {
        private static Position of(Json json) {
            return new Position(
                    json.get("pits").rows(),
                    json.get("to_move").integer(-1),
                    json.get("stores").integers(),
                    json.get("captured").integers(),
                    json.get("uur_owner").rows(),
                    json.get("active").integers(),
                    json.get("finished").integers(),
                    json.get("left").integers());
        }
    }

    /**
     * The beginning of a match.
     *
     * @param options {@code "6"}, {@code "true"}, {@code "either"}
     * @param seed an unsigned number of 64 bits
     */
    record Start(
            String match,
            String game,
            Map<String, String> options,
            int seat,
            int seats,
            List<String> names,
            Position position,
            long seed,
            boolean ponder) {
        private static Start of(Json json) {
            Map<String, String> options = new HashMap<>();
            Map<String, Json> values = json.get("options").members();
            values.forEach((name, value) -> options.put(name, value.string()));
            Json seed = json.get("seed");
            return new Start(
                    json.get("match").string(),
                    json.get("game").string(),
                    options,
                    json.get("seat").integer(0),
                    json.get("seats").integer(0),
                    json.get("names").list(Json::string),
                    Position.of(json.get("position")),
                    seed.isAbsent() ? 0 : Long.parseUnsignedLong(seed.text()),
                    json.get("ponder").text().equals("true"));
        }
    }

    /** A move that was made. */
    record Ply(int ply, int seat, Move move) {
        private static Ply of(Json json) {
            int ply = json.get("ply").integer(0);
            return new Ply(ply, json.get("seat").integer(0), Move.of(json.get("move")));
        }
    }

    /**
     * What asks for a move. A time that does not apply is null or empty.
     *
     * @param bankMs by seat
     */
    record Turn(
            String match,
            int ply,
            int seat,
            Position position,
            List<Move> legal,
            List<Ply> since,
            Double moveMsMax,
            List<Double> bankMs,
            Double incrementMs,
            Double lastMs) {
        private static Turn of(Json json) {
            return new Turn(
                    json.get("match").string(),
                    json.get("ply").integer(0),
                    json.get("seat").integer(0),
                    Position.of(json.get("position")),
                    json.get("legal").list(Move::of),
                    json.get("since").list(Ply::of),
                    json.get("move_ms_max").number(),
                    json.get("bank_ms").list(Json::number),
                    json.get("increment_ms").number(),
                    json.get("last_ms").number());
        }
    }

    /**
     * A JSON value.
     *
     * @param text as it stands in the line
     * @param value a List, a Map or a String; null for numbers, true, false and null
     */
    private record Json(String text, Object value) {
        private static final Json ABSENT = new Json("null", null);
        private static final Pattern INTEGER = Pattern.compile("-?\\d{1,9}");

        static Json read(String line) {
            return new JsonReader(line).readValue(0);
        }

        boolean isAbsent() {
            return text.equals("null");
        }

        /** The member of an object; null where it is absent. */
        Json get(String key) {
            return members().getOrDefault(key, ABSENT);
        }

        @SuppressWarnings("unchecked")
        Map<String, Json> members() {
            return value instanceof Map ? (Map<String, Json>) value : Map.of();
        }

        @SuppressWarnings("unchecked")
        <T> List<T> list(Function<Json, T> of) {
            List<Json> items = value instanceof List ? (List<Json>) value : List.of();
            List<T> list = new ArrayList<>(items.size());
            items.forEach(item -> list.add(of.apply(item)));
            return list;
        }

        int[] integers() {
            return list(item -> item.integer(-1)).stream().mapToInt(Integer::intValue).toArray();
        }

        int[][] rows() {
            return list(Json::integers).toArray(int[][]::new);
        }

        int integer(int otherwise) {
            return INTEGER.matcher(text).matches() ? Integer.parseInt(text) : otherwise;
        }

        Double number() {
            return isAbsent() ? null : Double.valueOf(text);
        }

        /** The string; of anything else the text. */
        String string() {
            return value instanceof String string ? string : text;
        }
    }

    /** Reads a line of JSON. */
    private static final class JsonReader {
        private static final int DEPTH_MAX = 64;
        private static final Pattern WORD =
                Pattern.compile("true|false|null|-?\\d+(\\.\\d+)?([eE][+-]?\\d+)?");

        private final String line;
        private int at = 0;

        JsonReader(String line) {
            this.line = line;
        }

        Json readValue(int depth) {
            skipBlanks();
            int begin = at;
            Object value =
                    switch (peek()) {
                        case '{' -> readObject(depth + 1);
                        case '[' -> readArray(depth + 1);
                        case '"' -> readString();
                        default -> readWord();
                    };
            return new Json(line.substring(begin, at), value);
        }

        private IllegalArgumentException expected(String what) {
            String found = line.substring(at, Math.min(at + 20, line.length()));
            return new IllegalArgumentException(
                    "expected " + what + " at character " + at + ", found `" + found + "`");
        }

        /** The next character; NUL at the end. */
        private char peek() {
            return at < line.length() ? line.charAt(at) : '\0';
        }

        private boolean skip(char expected) {
            boolean found = peek() == expected;
            if (found) {
                at++;
            }
            return found;
        }

        private void skipBlanks() {
            while (" \t\r\n".indexOf(peek()) >= 0) {
                at++;
            }
        }

        /** Reads what stands between brackets: {@code readItem} reads one item. */
        private void readItems(char close, int depth, Runnable readItem) {
            if (depth > DEPTH_MAX) {
                throw expected("less depth");
            }
            at++;
            skipBlanks();
            if (skip(close)) {
                return;
            }
            do {
                skipBlanks();
                readItem.run();
                skipBlanks();
            } while (skip(','));
            if (!skip(close)) {
                throw expected("`,` or `" + close + "`");
            }
        }

        private List<Json> readArray(int depth) {
            List<Json> array = new ArrayList<>();
            readItems(']', depth, () -> array.add(readValue(depth)));
            return array;
        }

        private Map<String, Json> readObject(int depth) {
            Map<String, Json> object = new HashMap<>();
            readItems(
                    '}',
                    depth,
                    () -> {
                        String key = readString();
                        skipBlanks();
                        if (!skip(':')) {
                            throw expected("`:`");
                        }
                        object.put(key, readValue(depth));
                    });
            return object;
        }

        /** Reads a number, true, false or null: its text says all. */
        private Object readWord() {
            int begin = at;
            while (Character.isLetterOrDigit(peek()) || "+-.".indexOf(peek()) >= 0) {
                at++;
            }
            String word = line.substring(begin, at);
            if (!WORD.matcher(word).matches()) {
                at = begin;
                throw expected("a value");
            }
            return null;
        }

        private String readString() {
            if (!skip('"')) {
                throw expected("`\"`");
            }
            StringBuilder string = new StringBuilder();
            while (!skip('"')) {
                if (at >= line.length()) {
                    throw expected("`\"`");
                }
                string.append(skip('\\') ? readEscape() : line.charAt(at++));
            }
            return string.toString();
        }

        /** Reads what follows a backslash. Surrogates come in pairs here as they do in a string. */
        private char readEscape() {
            int escape = "\"\\/bfnrtu".indexOf(peek());
            if (escape < 0) {
                throw expected("an escape");
            }
            at++;
            if (escape < 8) {
                return "\"\\/\b\f\n\r\t".charAt(escape);
            }
            int end = at + 4;
            if (end > line.length() || !line.substring(at, end).matches("[0-9a-fA-F]{4}")) {
                throw expected("four hexadecimal digits");
            }
            int code = Integer.parseInt(line, at, end, 16);
            at = end;
            return (char) code;
        }
    }
}
