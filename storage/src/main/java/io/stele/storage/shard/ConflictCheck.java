package io.stele.storage.shard;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.Lsn;
import io.stele.protocol.TableId;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.wire.OperationKind;
import io.stele.protocol.wire.WriteBatchReader;
import io.stele.storage.tablet.ColumnFile;
import io.stele.storage.tablet.KeyText;
import io.stele.storage.tablet.KeyedVersion;
import io.stele.storage.tablet.MemTable;
import io.stele.storage.tablet.RowFile;
import io.stele.storage.tablet.TableFiles;
import io.stele.storage.tablet.TableShard;
import io.stele.storage.tablet.TableView;
import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;

/**
 * Looks for keys that a transaction changes although someone else changed them after the
 * transaction read: what was read is not what would be overwritten. Runs on the shard's context
 * while the shard's log is held, so nothing changes meanwhile.
 */
final class ConflictCheck {
    private final TableFiles files;

    ConflictCheck(TableFiles files) {
        this.files = requireNonNull(files, "files is null");
    }

    /** Describes one conflict, if there is any. */
    Optional<String> find(PreparedPart part, TableGroupShard shard) throws IOException {
        Optional<String> gone = findGone(part, shard);
        if (gone.isPresent()) {
            return gone;
        }
        if (part.readLsn().isEmpty()) {
            return Optional.empty();
        }
        Lsn readLsn = part.readLsn().get();
        for (PartitionDelete delete : part.deletes()) {
            TableShard table = shard.table(delete.tableId());
            if (table.changedLsn() > readLsn.value()) {
                return Optional.of(
                        "table %s, whose rows it replaces, was changed after LSN %s"
                                .formatted(table.schema().qualifiedName(), readLsn.withTime()));
            }
        }
        for (WriteBatchReader batch : part.batches()) {
            TableShard table = shard.table(batch.tableId());
            if (readLsn.value() < table.historyLsn()) {
                return Optional.of(
                        "what happened to table %s before LSN %s is forgotten, so nobody knows what changed since LSN %s"
                                .formatted(
                                        table.schema().qualifiedName(),
                                        new Lsn(table.historyLsn()).withTime(),
                                        readLsn.withTime()));
            }
            batch.rewind();
            while (batch.next()) {
                if (batch.kind() != OperationKind.APPEND
                        && isNewer(table, batch.key(), readLsn.value())) {
                    return Optional.of(
                            "key %s of table %s was changed after LSN %s"
                                    .formatted(
                                            table.schema().hasPrimaryKey()
                                                    ? KeyText.of(
                                                            KeyEncoder.forPrimaryKey(
                                                                    table.schema()),
                                                            batch.key())
                                                    : "of a row",
                                            table.schema().qualifiedName(),
                                            readLsn.withTime()));
                }
            }
            batch.rewind();
        }
        return Optional.empty();
    }

    /** What it writes to a table that another one has taken the place of would never be seen. */
    private static Optional<String> findGone(PreparedPart part, TableGroupShard shard) {
        Set<TableId> tables = new LinkedHashSet<>();
        part.files().forEach(file -> tables.add(file.tableId()));
        part.batches().forEach(batch -> tables.add(batch.tableId()));
        part.deletes().forEach(delete -> tables.add(delete.tableId()));
        for (TableId id : tables) {
            Optional<TableShard> table = shard.findTable(id);
            if (table.isEmpty()) {
                return Optional.of("table id " + id + " was dropped");
            }
            if (table.get().isReplaced()) {
                return Optional.of(
                        "table %s was truncated or replaced"
                                .formatted(table.get().schema().qualifiedName()));
            }
        }
        return Optional.empty();
    }

    private boolean isNewer(TableShard table, byte[] key, long readLsn) throws IOException {
        TableView view = table.view();
        for (MemTable memTable : view.memTables()) {
            KeyedVersion version = memTable.find(key, 0, key.length, Long.MAX_VALUE);
            if (version != null) {
                return version.lsn() > readLsn;
            }
        }
        for (RowFile file : view.rowFiles()) {
            boolean inTime = file.newestLsn() > readLsn && file.entry().mayContain(key);
            if (inTime
                    && file.get(key, Long.MAX_VALUE)
                            .filter(found -> found.lsn() > readLsn)
                            .isPresent()) {
                return true;
            }
        }
        for (ColumnFile file : view.columnFiles()) {
            if (isNewer(file, key, readLsn)) {
                return true;
            }
        }
        return false;
    }

    private boolean isNewer(ColumnFile file, byte[] key, long readLsn) throws IOException {
        int ordinal = file.find(key);
        if (ordinal == ColumnFile.ABSENT) {
            return false;
        }
        long endLsn = file.deletes().deletedAt(ordinal);
        boolean ended =
                endLsn > readLsn && endLsn != io.stele.storage.format.DeleteVector.NOT_DELETED;
        if (ended || file.entry().minLsn().value() > readLsn) {
            return true;
        }
        return file.entry().maxLsn().value() > readLsn
                && files.readRow(file, ordinal).lsn() > readLsn;
    }
}
