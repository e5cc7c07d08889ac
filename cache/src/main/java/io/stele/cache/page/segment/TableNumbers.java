package io.stele.cache.page.segment;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * The assignment of small numbers to table names in one cache directory, for index entries and
 * journals. Numbers start at 1; number 0 is for further tables when there are too many.
 *
 * <p>Not thread-safe.
 */
final class TableNumbers {
    static final int OTHERS = 0;

    /** The most bytes of all names in the index file. */
    private static final int MAX_BYTES = 64 << 10;

    private final Map<String, Integer> numbers = new HashMap<>();
    private final List<String> names = new ArrayList<>();
    private int bytes;

    TableNumbers() {
        names.add("");
    }

    /** The number of tables, number 0 included. */
    int size() {
        return names.size();
    }

    String name(int number) {
        return names.get(number);
    }

    /** The number of a table, if it has one. */
    OptionalInt find(String name) {
        Integer known = numbers.get(name);
        return known == null ? OptionalInt.empty() : OptionalInt.of(known);
    }

    /** The number of a table; assigns one if it has none and a number is free. */
    int number(String name) {
        Integer known = numbers.get(name);
        if (known != null) {
            return known;
        }
        int length = name.getBytes(StandardCharsets.UTF_8).length + 12;
        if (names.size() >= PageEntries.MAX_TABLES
                || bytes + length > MAX_BYTES
                || length > IndexJournal.MAX_NAME_BYTES) {
            return OTHERS;
        }
        bytes += length;
        numbers.put(name, names.size());
        names.add(name);
        return names.size() - 1;
    }
}
