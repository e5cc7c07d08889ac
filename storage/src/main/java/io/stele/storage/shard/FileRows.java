package io.stele.storage.shard;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.schema.TableSchema;
import io.stele.storage.format.RowVersion;
import io.stele.storage.orc.ColumnRow;
import io.stele.storage.tablet.ColumnFile;
import io.stele.storage.tablet.RowFile;
import io.stele.storage.tablet.TableFiles;
import io.stele.storage.tablet.TableView;
import java.io.IOException;
import java.util.Optional;

/**
 * What the files of a table have of a key, as a batch must know it before it is logged. Immutable;
 * {@link #mayHave} reads nothing, {@link #find} blocks.
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
     * @param row its bytes; empty if only its presence was asked for
     * @param lsn of the row; {@code Long.MAX_VALUE} where rows do not expire
     * @param file the column file it is in; empty: a row file
     */
    record Found(Optional<byte[]> row, long lsn, Optional<ColumnFile> file, int ordinal) {
        /** A later change ended the row since: a column file's rows end in its delete vector. */
        boolean isEnded() {
            return file.isPresent() && file.get().deletes().isDeleted(ordinal, Long.MAX_VALUE);
        }
    }

    /** False only if no file has the key, by key ranges alone: filters may have to be read. */
    boolean mayHave(TableView view, byte[] key) {
        return view.schema().orientation().hasRows()
                ? view.rowFiles().stream().anyMatch(file -> file.entry().mayContain(key))
                : view.columnFiles().stream().anyMatch(file -> file.entry().mayContain(key));
    }

    /** The present row of the key in the files, if memory has none. */
    Optional<Found> find(TableView view, byte[] key, boolean withRow) throws IOException {
        return view.schema().orientation().hasRows()
                ? findInRowFiles(view, key)
                : findInColumnFiles(view, key, withRow);
    }

    private static Optional<Found> findInRowFiles(TableView view, byte[] key) throws IOException {
        for (RowFile file : view.rowFiles()) {
            if (!file.entry().mayContain(key)) {
                continue;
            }
            Optional<RowVersion> version = file.get(key, Long.MAX_VALUE);
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

    // Of the versions of a key in one file only the newest can be present.
    private Optional<Found> findInColumnFiles(TableView view, byte[] key, boolean withRow)
            throws IOException {
        for (ColumnFile file : view.columnFiles()) {
            int ordinal = file.find(key);
            if (ordinal == ColumnFile.ABSENT || file.deletes().isDeleted(ordinal, Long.MAX_VALUE)) {
                continue;
            }
            if (withRow || schema.options().expires()) {
                ColumnRow row = files.readRow(file, ordinal);
                return Optional.of(
                        new Found(Optional.of(row.row()), row.lsn(), Optional.of(file), ordinal));
            }
            return Optional.of(
                    new Found(Optional.empty(), Long.MAX_VALUE, Optional.of(file), ordinal));
        }
        return Optional.empty();
    }
}
