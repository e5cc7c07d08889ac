package io.stele.engine.shard.write;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.index.RowVersion;
import io.stele.columnfile.orc.ColumnRow;
import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.datafile.SstFile;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.scan.KeyPrefetch;
import io.stele.engine.scan.Prefetched;
import io.stele.engine.tablet.TableView;
import io.stele.objectstore.NonBlocking;
import io.stele.objectstore.WouldBlockException;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.schema.XxHash64;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A lookup of the rows that keys have in the files of a table, for batches that depend on present
 * rows, before they are logged. Immutable. {@link #mayHave} reads nothing; {@link #find} blocks.
 */
final class FileRows {
    private final TableSchema schema;
    private final TableFiles files;

    /**
     * @param schema the table with its options as they are now
     */
    FileRows(TableSchema schema, TableFiles files) {
        this.schema = requireNonNull(schema, "schema is null");
        this.files = requireNonNull(files, "files is null");
    }

    /**
     * A row that a file has.
     *
     * @param row its bytes; empty if only its presence was requested
     * @param lsn of the row; {@code Long.MAX_VALUE} where rows do not expire
     * @param file the column file it is in; empty: an SST file
     */
    record Found(Optional<byte[]> row, long lsn, Optional<ColumnFile> file, int ordinal) {
        /**
         * Whether a later change has deleted the row since: a column file's deletion vector marks
         * it.
         */
        boolean isEnded() {
            return file.isPresent() && file.get().deletes().isDeleted(ordinal, Long.MAX_VALUE);
        }
    }

    /** Whether a file may have the key, by key ranges alone, since filters may have to be read. */
    boolean mayHave(TableView view, byte[] key) {
        return view.schema().orientation().hasRows()
                ? view.sstFiles().stream().anyMatch(file -> file.entry().mayContain(key))
                : view.columnFiles().stream().anyMatch(file -> file.entry().mayContain(key));
    }

    /**
     * The rows in files of some keys whose rows memory does not have. On a remote store, blocks of
     * several keys that are not cached are read together.
     *
     * @param keys each with whether the row itself is needed
     */
    Map<KeySlice, Optional<Found>> find(TableView view, Map<KeySlice, Boolean> keys)
            throws IOException {
        boolean isFar = files.parallelReads().isParallel();
        Map<KeySlice, Optional<Found>> found = new HashMap<>();
        List<KeySlice> left = new ArrayList<>();
        for (KeySlice key : keys.keySet().stream().sorted().toList()) { // files are sorted, too
            boolean withRow = requireNonNull(keys.get(key));
            if (isFar && (isDecoded(view, withRow) || !findInMemory(view, key, withRow, found))) {
                left.add(key);
            } else if (!isFar) {
                found.put(key, find(view, key.toByteArray(), withRow, Prefetched.NONE));
            }
        }
        int keysAFetch = KeyPrefetch.keysAFetch(view);
        for (int i = 0; i < left.size(); i += keysAFetch) {
            List<KeySlice> together = left.subList(i, Math.min(left.size(), i + keysAFetch));
            Prefetched fetched = fetch(view, together, keys);
            for (KeySlice key : together) {
                boolean withRow = requireNonNull(keys.get(key));
                found.put(key, find(view, key.toByteArray(), withRow, fetched));
            }
        }
        return found;
    }

    /**
     * Whether rows are decoded from column files: those of one row group take the time of one row.
     */
    private boolean isDecoded(TableView view, boolean withRow) {
        return needsRow(withRow) && !view.schema().orientation().hasRows();
    }

    private boolean needsRow(boolean withRow) {
        return withRow || schema.options().expires();
    }

    private boolean findInMemory(
            TableView view, KeySlice key, boolean withRow, Map<KeySlice, Optional<Found>> found)
            throws IOException {
        byte[] bytes = key.toByteArray();
        try {
            found.put(key, NonBlocking.read(() -> find(view, bytes, withRow, Prefetched.NONE)));
            return true;
        } catch (WouldBlockException missing) {
            return false;
        }
    }

    private Prefetched fetch(TableView view, List<KeySlice> keys, Map<KeySlice, Boolean> withRow)
            throws IOException {
        KeyPrefetch prefetch = new KeyPrefetch(files);
        for (KeySlice key : keys) {
            byte[] bytes = key.toByteArray();
            long hash = XxHash64.hash(bytes, 0, bytes.length);
            if (view.schema().orientation().hasRows()) {
                prefetch.add(view.sstFiles(), bytes, hash);
            } else {
                boolean needsRow = needsRow(requireNonNull(withRow.get(key)));
                prefetch.add(withPresentRows(view), bytes, hash, needsRow);
            }
        }
        return prefetch.fetch();
    }

    private Optional<Found> find(TableView view, byte[] key, boolean withRow, Prefetched fetched)
            throws IOException {
        return view.schema().orientation().hasRows()
                ? findInSstFiles(view, key, fetched)
                : findInColumnFiles(view, key, withRow, fetched);
    }

    private static Optional<Found> findInSstFiles(TableView view, byte[] key, Prefetched fetched)
            throws IOException {
        for (SstFile file : view.sstFiles()) {
            if (!file.entry().mayContain(key)) {
                continue;
            }
            Optional<RowVersion> version = fetched.over(file).get(key, Long.MAX_VALUE);
            if (version.isPresent()) {
                return version.get().deleted()
                        ? Optional.empty()
                        : Optional.of(
                                new Found(
                                        Optional.of(version.get().toByteArray()),
                                        version.get().lsn(),
                                        Optional.empty(),
                                        0));
            }
        }
        return Optional.empty();
    }

    private static List<ColumnFile> withPresentRows(TableView view) {
        return view.columnFiles().stream()
                .filter(file -> !file.isObsoleteAt(Long.MAX_VALUE))
                .toList();
    }

    // Of the versions of a key in one file only the newest can be present.
    private Optional<Found> findInColumnFiles(
            TableView view, byte[] key, boolean withRow, Prefetched fetched) throws IOException {
        for (ColumnFile file : withPresentRows(view)) {
            int ordinal = fetched.over(file).find(key);
            if (ordinal == ColumnFile.ABSENT || file.deletes().isDeleted(ordinal, Long.MAX_VALUE)) {
                continue;
            }
            if (needsRow(withRow)) {
                ColumnRow row = fetched.row(files, file, ordinal);
                return Optional.of(
                        new Found(Optional.of(row.row()), row.lsn(), Optional.of(file), ordinal));
            }
            return Optional.of(
                    new Found(Optional.empty(), Long.MAX_VALUE, Optional.of(file), ordinal));
        }
        return Optional.empty();
    }
}
