package io.stele.sidecar.statement;

import io.stele.sidecar.postgresql.sql.StatementSplitter;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * A rewriter of one SQL statement's text that puts {@code ?} in place of each constant, one space
 * in place of white space and comments, and one element and {@code ...} in place of lists of
 * constants or of equal parenthesized lists. Confined to one thread; used once.
 *
 * <p>The text is read once, and is never longer than the input by more than a constant factor.
 */
final class StatementNormalizer {
    private static final String OPERATORS = "=<>!+-*/%|&^~#@";
    private static final String ELLIPSIS = ", ...";
    private static final Set<String> CONSTANT_WORDS = Set.of("null", "true", "false", "default");
    private static final Set<String> KEYWORDS_BEFORE_LISTS =
            Set.of(
                    "all", "and", "any", "as", "by", "exists", "from", "in", "on", "or", "not",
                    "over", "select", "using", "values", "where", "with");
    private static final int MAX_DEPTH = 16; // of parentheses whose repetition is recognized

    private final StringBuilder out = new StringBuilder();
    private final Deque<Open> open = new ArrayDeque<>();
    private int unrecognized; // parentheses that are open beyond MAX_DEPTH
    private Optional<Group> lastGroup = Optional.empty();
    private int constantEnd = -1; // of the last constant, and of its ellipsis
    private boolean constantRepeats;
    private boolean spaceBefore;
    private Part last = Part.NONE;
    private String lastWord = "";

    /** The kind of the part that was written last. */
    private enum Part {
        NONE,
        WORD,
        NUMBER,
        OTHER_CONSTANT,
        OPERATOR,
        PUNCTUATION
    }

    /**
     * A parenthesis that is not yet closed.
     *
     * @param start its position in the output
     * @param before the list that it follows after a comma
     */
    private record Open(int start, Optional<Group> before) {}

    /**
     * A parenthesized list.
     *
     * @param text with its parentheses
     * @param end of the list, and of its ellipsis, in the output
     * @param repeats whether there is an ellipsis
     */
    private record Group(String text, int end, boolean repeats) {}

    private StatementNormalizer() {}

    static String normalize(String sql) {
        StatementNormalizer normalizer = new StatementNormalizer();
        StatementSplitter.forEachPart(sql, normalizer::add);
        return normalizer.out.toString();
    }

    private void add(String part) {
        char first = part.charAt(0);
        char lastCharacter = part.charAt(part.length() - 1);
        if (Character.isWhitespace(first) || part.startsWith("--") || part.startsWith("/*")) {
            spaceBefore = true;
            return;
        }
        if (first == '\'' || isDollarQuoted(part) || (lastCharacter == '\'' && first != '"')) {
            addConstant(Part.OTHER_CONSTANT);
        } else if (first >= '0' && first <= '9') {
            addNumber();
        } else if (first == '"') {
            addWord(part);
        } else if (Character.isLetter(first) || first == '_' || first > 127) {
            String word = part.toLowerCase(Locale.ROOT);
            if (CONSTANT_WORDS.contains(word) && isElement()) {
                addConstant(Part.OTHER_CONSTANT);
            } else {
                addWord(word);
            }
        } else if (OPERATORS.indexOf(first) >= 0) {
            addOperator(part);
        } else {
            addPunctuation(first);
        }
        spaceBefore = false;
    }

    private static boolean isDollarQuoted(String part) {
        return part.charAt(0) == '$' && part.length() > 1;
    }

    /** Whether what comes is an element of a list, where NULL is a constant. */
    private boolean isElement() {
        return !out.isEmpty() && (endsWith('(') || endsWith(','));
    }

    private boolean endsWith(char character) {
        return !out.isEmpty() && out.charAt(out.length() - 1) == character;
    }

    /** Adds a number, or the next part of one: the splitter divides 1.5 at its point. */
    private void addNumber() {
        boolean isParameter = !spaceBefore && endsWith('$');
        boolean continues = !spaceBefore && last == Part.NUMBER && endsWith('.');
        if (isParameter) {
            out.setLength(out.length() - 1); // $1 is a value as a constant is
        }
        if (continues || (!spaceBefore && endsWith('.') && !isAfterName())) {
            out.setLength(out.length() - 1);
            if (continues) {
                return;
            }
        }
        addConstant(Part.NUMBER);
    }

    /** Whether the point at the end of the output follows a name. */
    private boolean isAfterName() {
        if (out.length() < 2) {
            return false;
        }
        char before = out.charAt(out.length() - 2);
        return Character.isLetterOrDigit(before) || before == '_' || before == '"';
    }

    private void addConstant(Part kind) {
        boolean continuesList = constantEnd >= 0 && isCommaAfter(constantEnd);
        if (continuesList) {
            out.setLength(constantEnd);
            if (!constantRepeats) {
                out.append(ELLIPSIS);
                constantRepeats = true;
            }
        } else {
            space();
            out.append('?');
            constantRepeats = false;
        }
        constantEnd = out.length();
        last = kind;
    }

    /** Whether the output from {@code end} on is one comma. */
    private boolean isCommaAfter(int end) {
        return out.length() == end + 1 && out.charAt(end) == ',';
    }

    private void addWord(String word) {
        space();
        out.append(word);
        last = Part.WORD;
        lastWord = word;
    }

    private void addOperator(String part) {
        boolean isSign = part.equals("-") || part.equals("+");
        if (last != Part.OPERATOR || spaceBefore || isSign) {
            space();
        }
        out.append(part);
        last = Part.OPERATOR;
    }

    private void addPunctuation(char character) {
        switch (character) {
            case '(' -> {
                boolean follows = lastGroup.isPresent() && isCommaAfter(lastGroup.get().end());
                Optional<Group> before = follows ? lastGroup : Optional.empty();
                boolean isCall = last == Part.WORD && !KEYWORDS_BEFORE_LISTS.contains(lastWord);
                if (!isCall) {
                    space();
                }
                if (open.size() < MAX_DEPTH) {
                    open.push(new Open(out.length(), before));
                } else {
                    unrecognized++;
                }
                out.append('(');
            }
            case ')' -> {
                out.append(')');
                close();
            }
            default -> out.append(character);
        }
        boolean isPointOfNumber = character == '.' && last == Part.NUMBER && !spaceBefore;
        last = isPointOfNumber ? Part.NUMBER : Part.PUNCTUATION;
    }

    private void close() {
        if (unrecognized > 0) {
            unrecognized--;
            return;
        }
        if (open.isEmpty()) {
            return;
        }
        constantEnd = -1;
        Open opened = open.pop();
        String text = out.substring(opened.start());
        Optional<Group> before = opened.before().filter(group -> group.text().equals(text));
        if (before.isEmpty()) {
            lastGroup = Optional.of(new Group(text, out.length(), false));
            return;
        }
        out.setLength(before.get().end());
        if (!before.get().repeats()) {
            out.append(ELLIPSIS);
        }
        lastGroup = Optional.of(new Group(text, out.length(), true));
    }

    /** Writes the space between two parts, where there is one in every normalized text. */
    private void space() {
        if (out.isEmpty() || endsWith('(') || endsWith('.')) {
            return;
        }
        boolean isCast = endsWith(':') || endsWith('[');
        if (!isCast) {
            out.append(' ');
        }
    }
}
