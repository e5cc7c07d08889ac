package io.stele.benchmarks.chaos;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A model of a table that one client changes, one statement after the other: its rows by key, and
 * those after a statement whose outcome is open. Confined to one thread.
 */
final class RowsModel {
    private static final int MAX_TOLD = 5;

    private Map<Long, Long> rows = Map.of();
    private @Nullable Map<Long, Long> after;

    Map<Long, Long> rows() {
        return rows;
    }

    /** A statement is sent that leaves these rows. */
    void sent(Map<Long, Long> rowsAfter) {
        if (after != null) {
            throw new IllegalStateException("Expected no statement of open outcome, found one");
        }
        after = Map.copyOf(rowsAfter);
    }

    void acknowledged() {
        rows = requireNonNull(after, "no statement was sent");
        after = null;
    }

    void refused() {
        requireNonNull(after, "no statement was sent");
        after = null;
    }

    /**
     * Takes the rows that a reader found behind a statement of open outcome. From now on these are
     * the rows.
     *
     * @return what is wrong with them, or nothing
     */
    List<String> asked(Map<Long, Long> found) {
        Map<Long, Long> done = requireNonNull(after, "no statement was sent");
        List<String> wrong =
                found.equals(rows) || found.equals(done)
                        ? List.of()
                        : List.of(
                                "a statement of open outcome happened in part: %s; done it is %s"
                                        .formatted(
                                                difference(rows, found), difference(done, found)));
        rows = Map.copyOf(found);
        after = null;
        return wrong;
    }

    /** The rows with this value. */
    Map<Long, Long> withValue(long value) {
        return withValue(rows, value);
    }

    static Map<Long, Long> withValue(Map<Long, Long> rows, long value) {
        Map<Long, Long> some = new TreeMap<>();
        rows.forEach(
                (key, its) -> {
                    if (its == value) {
                        some.put(key, its);
                    }
                });
        return some;
    }

    /** The violation in the rows that a reader found, if any. */
    static List<String> check(String reader, Map<Long, Long> expected, Map<Long, Long> found) {
        return expected.equals(found)
                ? List.of()
                : List.of(reader + ": " + difference(expected, found));
    }

    private static String difference(Map<Long, Long> expected, Map<Long, Long> found) {
        Map<Long, Long> missing = new TreeMap<>(expected);
        missing.entrySet().removeAll(found.entrySet());
        Map<Long, Long> more = new TreeMap<>(found);
        more.entrySet().removeAll(expected.entrySet());
        return "expected %d rows, found %d; missing %d: %s, too many %d: %s"
                .formatted(
                        expected.size(),
                        found.size(),
                        missing.size(),
                        some(missing),
                        more.size(),
                        some(more));
    }

    private static List<Map.Entry<Long, Long>> some(Map<Long, Long> rows) {
        return rows.entrySet().stream().limit(MAX_TOLD).toList();
    }
}
