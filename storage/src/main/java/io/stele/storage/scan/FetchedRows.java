package io.stele.storage.scan;

import io.stele.storage.orc.ColumnRow;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Rows of column files that were read ahead of their lookups, as far as there is room for them.
 * Thread-safe.
 */
public final class FetchedRows {
    /** 64 MiB: of one call, which wants 16 MiB by the average of the files' rows. */
    static final long MAX_BYTES = 64 << 20;

    static final FetchedRows NONE = new FetchedRows();

    private final Map<String, Map<Integer, ColumnRow>> byFile = new ConcurrentHashMap<>();
    private final AtomicLong bytes = new AtomicLong();

    /** Takes a row, or leaves it to its lookup if there is no room. */
    void add(String path, ColumnRow row) {
        if (!isFull()) {
            bytes.addAndGet(row.row().length);
            byFile.computeIfAbsent(path, _ -> new ConcurrentHashMap<>()).put(row.ordinal(), row);
        }
    }

    /** Whether no further row is taken. */
    boolean isFull() {
        return bytes.get() >= MAX_BYTES;
    }

    Optional<ColumnRow> find(String path, int ordinal) {
        Map<Integer, ColumnRow> rows = byFile.get(path);
        return rows == null ? Optional.empty() : Optional.ofNullable(rows.get(ordinal));
    }
}
