package io.stele.engine.scan;

import io.stele.columnfile.index.HeldBlocks;
import io.stele.columnfile.index.KeyIndexReader;
import io.stele.columnfile.index.SstFileReader;
import io.stele.columnfile.orc.ColumnRow;
import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.datafile.SstFile;
import io.stele.engine.datafile.TableFiles;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The prefetched data for the lookups of one call: rows of column files, and blocks of SST files
 * and key indexes. Rows and blocks each have a limit in bytes. Filled by {@link KeyPrefetch}.
 * Several threads may add rows at once; the rest is filled by one thread.
 */
public final class Prefetched {
    /** 64 MiB of rows for one call, which wants 16 MiB by the average size of the files' rows. */
    static final long MAX_BYTES = 64 << 20;

    /** 32 MiB of blocks for one call; further blocks are usually found in the block cache. */
    private static final long MAX_BLOCK_BYTES = 32 << 20;

    /** No prefetched data. */
    public static final Prefetched NONE = new Prefetched();

    private final Map<String, Map<Integer, ColumnRow>> byFile = new ConcurrentHashMap<>();
    private final AtomicLong bytes = new AtomicLong();
    private final HeldBlocks blocks = new HeldBlocks(MAX_BLOCK_BYTES);
    private final Map<String, KeyIndexReader> keyIndexes = new HashMap<>(); // by path of the rows
    private final Map<String, SstFileReader> sstFiles = new HashMap<>();

    /** The reader of a key index that holds the blocks that it reads ahead. */
    KeyIndexReader hold(String path, KeyIndexReader index) {
        return keyIndexes.computeIfAbsent(path, _ -> index.holding(blocks));
    }

    /** As {@link #hold(String, KeyIndexReader)}, for an SST file. */
    SstFileReader hold(SstFileReader file) {
        return sstFiles.computeIfAbsent(file.path(), _ -> file.holding(blocks));
    }

    /** The same file, which uses prefetched blocks without the cache. */
    public ColumnFile over(ColumnFile file) {
        KeyIndexReader index = keyIndexes.get(file.entry().path());
        return index == null ? file : file.withKeyIndex(index);
    }

    /** As {@link #over(ColumnFile)}. */
    public SstFile over(SstFile file) {
        SstFileReader reader = sstFiles.get(file.entry().path());
        return reader == null ? file : file.withReader(reader);
    }

    /** Adds a row; without room the row is dropped, and its lookup reads it. */
    void add(String path, ColumnRow row) {
        if (!isFull()) {
            bytes.addAndGet(row.row().length);
            byFile.computeIfAbsent(path, _ -> new ConcurrentHashMap<>()).put(row.ordinal(), row);
        }
    }

    /** Whether no further row is accepted. */
    boolean isFull() {
        return bytes.get() >= MAX_BYTES;
    }

    /** A row of a column file in the file's schema version, read if it is not here; may block. */
    public ColumnRow row(TableFiles files, ColumnFile file, int ordinal) throws IOException {
        Optional<ColumnRow> present = find(file.entry().path(), ordinal);
        return present.isPresent()
                ? files.asRow(file, present.get())
                : files.readRow(file, ordinal);
    }

    Optional<ColumnRow> find(String path, int ordinal) {
        Map<Integer, ColumnRow> rows = byFile.get(path);
        return rows == null ? Optional.empty() : Optional.ofNullable(rows.get(ordinal));
    }
}
