package io.stele.sidecar.postgresql.session;

import io.stele.sidecar.postgresql.copy.CopyOptions;
import io.stele.sidecar.postgresql.sql.Identifiers;
import io.stele.sidecar.postgresql.sql.Statement.TableName;
import io.stele.sidecar.postgresql.sql.StatementSplitter;
import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The parser of a PostgreSQL client's session, transaction and COPY statements into {@link
 * Command}s. Confined to one thread.
 */
final class CommandParser {
    private static final int MAX_NAME_LENGTH = 63;

    private final List<String> words;
    private int at;

    private CommandParser(List<String> words) {
        this.words = words;
    }

    /**
     * The command that a statement is; empty if it is another kind of statement.
     *
     * @throws PostgresException SYNTAX_ERROR, FEATURE_NOT_SUPPORTED
     */
    static Optional<Command> parse(String sql) {
        if (!mayBeCommand(sql)) {
            return Optional.empty();
        }
        CommandParser parser = new CommandParser(words(sql));
        return parser.command(sql);
    }

    private static boolean mayBeCommand(String sql) {
        int end = 0;
        while (end < sql.length() && Character.isLetter(sql.charAt(end))) {
            end++;
        }
        return switch (sql.substring(0, end).toUpperCase(Locale.ENGLISH)) {
            case "BEGIN",
                    "START",
                    "COMMIT",
                    "END",
                    "ROLLBACK",
                    "ABORT",
                    "SET",
                    "RESET",
                    "SHOW",
                    "DISCARD",
                    "DEALLOCATE",
                    "COPY",
                    "SAVEPOINT",
                    "RELEASE",
                    "LISTEN",
                    "UNLISTEN",
                    "PREPARE",
                    "EXECUTE",
                    "DECLARE",
                    "FETCH",
                    "CLOSE",
                    "LOCK" ->
                    true;
            default -> false;
        };
    }

    /** Names, texts in quotes (with their quotes), and other characters one by one. */
    static List<String> words(String sql) {
        List<String> words = new ArrayList<>();
        int i = 0;
        while (i < sql.length()) {
            char character = sql.charAt(i);
            int start = i;
            if (Character.isWhitespace(character)) {
                i++;
                continue;
            }
            if (character == '\'' || character == '"') {
                i++;
                while (i < sql.length()) {
                    if (sql.charAt(i) == character) {
                        if (i + 1 < sql.length() && sql.charAt(i + 1) == character) {
                            i++;
                        } else {
                            break;
                        }
                    }
                    i++;
                }
                i = Math.min(i + 1, sql.length());
            } else if (isWordPart(character)) {
                while (i < sql.length() && isWordPart(sql.charAt(i))) {
                    i++;
                }
            } else {
                i++;
            }
            words.add(sql.substring(start, i));
        }
        return words;
    }

    private static boolean isWordPart(char character) {
        return Character.isLetterOrDigit(character)
                || character == '_'
                || character == '$'
                || character == '-'
                || character == '+';
    }

    private Optional<Command> command(String sql) {
        String first = next().toUpperCase(Locale.ENGLISH);
        return switch (first) {
            case "BEGIN", "START" -> {
                boolean isNamed = takesTransaction();
                if (first.equals("START") && !isNamed) {
                    throw unsupported("START TRANSACTION", sql);
                }
                yield Optional.of(new Command.Begin(isReadOnly(sql)));
            }
            case "COMMIT", "END" -> {
                boolean unused = takesTransaction();
                endBlock(sql);
                yield Optional.of(new Command.Commit());
            }
            case "ROLLBACK", "ABORT" -> {
                boolean unused = takesTransaction();
                if (takes("TO")) {
                    yield Optional.of(new Command.RollbackTo(savepoint(sql)));
                }
                endBlock(sql);
                yield Optional.of(new Command.Rollback());
            }
            case "SET" -> Optional.of(set(sql));
            case "RESET" -> {
                String name = rest();
                yield Optional.of(
                        new Command.Reset(
                                name.equalsIgnoreCase("ALL")
                                        ? Optional.empty()
                                        : Optional.of(name)));
            }
            case "SHOW" -> Optional.of(new Command.Show(rest()));
            case "DISCARD" -> {
                String what = next().toUpperCase(Locale.ENGLISH);
                yield switch (what) {
                    case "ALL" -> Optional.of(new Command.Discard());
                    case "PLANS", "TEMP", "TEMPORARY", "SEQUENCES" ->
                            Optional.of(new Command.NoEffect("DISCARD " + what));
                    default -> throw unsupported("DISCARD ALL", sql);
                };
            }
            case "DEALLOCATE" -> {
                boolean unused = takes("PREPARE");
                String name = next();
                yield Optional.of(
                        new Command.Deallocate(
                                name.equalsIgnoreCase("ALL")
                                        ? Optional.empty()
                                        : Optional.of(Identifiers.name(name))));
            }
            case "COPY" -> Optional.of(copy(sql));
            case "UNLISTEN" -> Optional.of(new Command.NoEffect("UNLISTEN"));
            case "CLOSE" -> {
                if (!takes("ALL")) {
                    throw unsupported("CLOSE ALL", sql);
                }
                yield Optional.of(new Command.NoEffect("CLOSE CURSOR ALL"));
            }
            case "SAVEPOINT" -> Optional.of(new Command.Savepoint(name(sql)));
            case "RELEASE" -> Optional.of(new Command.Release(savepoint(sql)));
            case "LISTEN", "PREPARE", "EXECUTE", "DECLARE", "FETCH", "LOCK" ->
                    throw unsupported("a statement without " + first, sql);
            default -> Optional.empty();
        };
    }

    /** The modes of a transaction up to the end: whether it only reads. */
    private boolean isReadOnly(String sql) {
        boolean isReadOnly = false;
        while (at < words.size()) {
            if (takes("READ")) {
                isReadOnly = takes("ONLY");
                if (!isReadOnly) {
                    expect("WRITE");
                }
            } else if (takes("ISOLATION")) {
                expect("LEVEL");
                boolean isWeaker =
                        takes("REPEATABLE")
                                ? takes("READ")
                                : takes("READ") && (takes("COMMITTED") || takes("UNCOMMITTED"));
                if (!isWeaker) {
                    throw unsupported("an isolation level up to REPEATABLE READ", sql);
                }
            } else if (!takes(",")) {
                throw unsupported("READ ONLY, READ WRITE or ISOLATION LEVEL", sql);
            }
        }
        return isReadOnly;
    }

    /** The name of a savepoint, after SAVEPOINT or nothing. */
    private String savepoint(String sql) {
        // Its name may be SAVEPOINT
        if (words.size() - at > 1) {
            expect("SAVEPOINT");
        }
        return name(sql);
    }

    /** The last word, which is a name; shortened as in PostgreSQL. */
    private String name(String sql) {
        String name = Identifiers.name(next());
        if (at < words.size()) {
            throw unsupported("one name", sql);
        }
        return name.substring(0, Math.min(name.length(), MAX_NAME_LENGTH));
    }

    private boolean takesTransaction() {
        return takes("TRANSACTION") || takes("WORK");
    }

    private void endBlock(String sql) {
        if (takes("AND")) {
            expect("NO");
            expect("CHAIN");
        }
        if (at < words.size()) {
            throw unsupported("the end of the whole transaction", sql);
        }
    }

    private static PostgresException unsupported(String expected, String found) {
        return new PostgresException(
                SqlState.FEATURE_NOT_SUPPORTED,
                "Expected %s, found '%s'"
                        .formatted(
                                expected, found.length() <= 100 ? found : found.substring(0, 100)));
    }

    private Command set(String sql) {
        boolean isLocal = takes("LOCAL");
        if (!isLocal) {
            boolean unused = takes("SESSION");
        }
        if (takes("CHARACTERISTICS")) {
            expect("AS");
            expect("TRANSACTION");
            return new Command.TransactionMode(true, isReadOnly(sql));
        }
        if (takes("TRANSACTION")) {
            return new Command.TransactionMode(false, isReadOnly(sql));
        }
        if (takes("TIME")) {
            expect("ZONE");
            return new Command.Set("timezone", value(), isLocal);
        }
        if (takes("NAMES")) {
            return new Command.Set("client_encoding", value(), isLocal);
        }
        StringBuilder name = new StringBuilder(next());
        while (takes(".")) {
            name.append('.').append(next());
        }
        if (!takes("=") && !takes("TO")) {
            throw new PostgresException(
                    SqlState.SYNTAX_ERROR, "Expected SET name = value, found '%s'".formatted(sql));
        }
        if (at < words.size() && words.get(at).equalsIgnoreCase("DEFAULT")) {
            return new Command.Reset(Optional.of(name.toString()));
        }
        return new Command.Set(name.toString(), value(), isLocal);
    }

    /** The values up to the end, with commas between them. */
    private String value() {
        StringBuilder value = new StringBuilder();
        while (at < words.size()) {
            String word = next();
            if (word.equals(",")) {
                value.append(", ");
            } else {
                value.append(text(word));
            }
        }
        return value.toString();
    }

    private static String text(String word) {
        return word.length() >= 2 && word.startsWith("'")
                ? word.substring(1, word.length() - 1).replace("''", "'")
                : word;
    }

    private String rest() {
        StringBuilder rest = new StringBuilder();
        while (at < words.size()) {
            String word = next();
            boolean isPart = word.equals(".") || rest.toString().endsWith(".");
            rest.append(rest.isEmpty() || isPart ? "" : " ").append(word);
        }
        if (rest.isEmpty()) {
            throw new PostgresException(
                    SqlState.SYNTAX_ERROR, "Expected the name of a setting, found the end");
        }
        return rest.toString();
    }

    private Command copy(String sql) {
        if (at < words.size() && words.get(at).equals("(")) {
            return copyQuery(sql);
        }
        String name = next();
        Optional<String> schema = Optional.empty();
        if (takes(".")) {
            schema = Optional.of(Identifiers.name(name));
            name = next();
        }
        List<String> columns = new ArrayList<>();
        if (takes("(")) {
            do {
                columns.add(Identifiers.name(next()));
            } while (takes(","));
            expect(")");
        }
        TableName table = new TableName(schema, Identifiers.name(name), Optional.empty());
        if (takes("TO")) {
            expectStandard("STDOUT", sql);
            return new Command.CopyTableOut(table, columns, options());
        }
        expect("FROM");
        expectStandard("STDIN", sql);
        return new Command.CopyIn(table, columns, options());
    }

    private void expectStandard(String stream, String sql) {
        if (!takes(stream)) {
            // A client must not reach files or programs of the server
            throw unsupported("COPY FROM STDIN or TO STDOUT", sql);
        }
    }

    private static Command copyQuery(String sql) {
        int open = sql.indexOf('(');
        int close = StatementSplitter.closing(sql, open);
        if (close < 0) {
            throw new PostgresException(
                    SqlState.SYNTAX_ERROR, "Expected COPY (query) TO STDOUT, found no ')'");
        }
        CommandParser rest = new CommandParser(words(sql.substring(close + 1)));
        rest.expect("TO");
        rest.expectStandard("STDOUT", sql);
        return new Command.CopyOut(sql.substring(open + 1, close), rest.options());
    }

    private CopyOptions options() {
        boolean unused = takes("WITH");
        boolean inParentheses = takes("(");
        CopyOptions options = CopyOptions.TEXT;
        List<CopyChange> changes = new ArrayList<>();
        while (at < words.size() && !takes(")")) {
            String option = next().toUpperCase(Locale.ENGLISH);
            switch (option) {
                case "," -> {}
                case "FORMAT" -> options = format(text(next()));
                case "CSV", "BINARY" -> options = format(option);
                case "DELIMITER" -> {
                    boolean unusedWord = takes("AS");
                    char delimiter = character(option);
                    changes.add(known -> known.withDelimiter(delimiter));
                }
                case "NULL" -> {
                    boolean unusedWord = takes("AS");
                    String nullText = text(next());
                    changes.add(known -> known.withNull(nullText));
                }
                case "HEADER" -> {
                    boolean isOn = !takes("FALSE") && !takes("OFF") && !takes("0");
                    boolean unusedWord =
                            takes("TRUE") || takes("ON") || takes("1") || takes("MATCH");
                    changes.add(known -> known.withHeader(isOn));
                }
                case "QUOTE" -> {
                    boolean unusedWord = takes("AS");
                    char quote = character(option);
                    changes.add(known -> known.withQuote(quote));
                }
                case "ESCAPE" -> {
                    boolean unusedWord = takes("AS");
                    char escape = character(option);
                    changes.add(known -> known.withEscape(escape));
                }
                case "ENCODING" -> {
                    String encoding = text(next());
                    if (!encoding.replace("-", "").equalsIgnoreCase("UTF8")) {
                        throw unsupported("ENCODING 'UTF8'", encoding);
                    }
                }
                case "FREEZE" -> {}
                default ->
                        throw unsupported(
                                "FORMAT, DELIMITER, NULL, HEADER, QUOTE, ESCAPE or ENCODING",
                                option);
            }
        }
        if (inParentheses && at < words.size()) {
            throw unsupported("the end of COPY", words.get(at));
        }
        for (CopyChange change : changes) {
            options = change.apply(options);
        }
        return options;
    }

    private interface CopyChange {
        CopyOptions apply(CopyOptions options);
    }

    private static CopyOptions format(String name) {
        return switch (name.toUpperCase(Locale.ENGLISH)) {
            case "TEXT" -> CopyOptions.TEXT;
            case "CSV" -> CopyOptions.CSV;
            case "BINARY" -> CopyOptions.BINARY;
            default -> throw unsupported("FORMAT text, csv or binary", name);
        };
    }

    private char character(String option) {
        String word = next();
        String text = word.equals("E") ? text(next()).replace("\\t", "\t") : text(word);
        if (text.length() != 1 || text.charAt(0) > 127) {
            throw new PostgresException(
                    SqlState.INVALID_PARAMETER_VALUE,
                    "Expected one character of ASCII as %s, found '%s'".formatted(option, text));
        }
        return text.charAt(0);
    }

    private String next() {
        if (at == words.size()) {
            throw new PostgresException(
                    SqlState.SYNTAX_ERROR,
                    "Expected another word after '%s', found the end"
                            .formatted(String.join(" ", words)));
        }
        return words.get(at++);
    }

    private boolean takes(String word) {
        boolean isNext = at < words.size() && words.get(at).equalsIgnoreCase(word);
        if (isNext) {
            at++;
        }
        return isNext;
    }

    private void expect(String word) {
        if (!takes(word)) {
            throw new PostgresException(
                    SqlState.SYNTAX_ERROR,
                    "Expected %s, found '%s'"
                            .formatted(word, at == words.size() ? "the end" : words.get(at)));
        }
    }
}
