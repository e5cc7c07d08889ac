package io.stele.engine.shard.record;

import static java.util.Objects.requireNonNull;

import io.stele.engine.manifest.FileEntry;
import io.stele.engine.shard.record.TransactionRecords.Prepare;
import io.stele.protocol.Lsn;
import io.stele.protocol.TableId;
import io.stele.protocol.wire.WriteBatchReader;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A shard's part of a transaction that is prepared and not yet decided.
 *
 * @param prepareLsn LSN of its first PREPARE record: the log is retained from there until the rows
 *     are in files
 */
public record PreparedPart(
        String transactionId,
        Lsn prepareLsn,
        Optional<Lsn> readLsn,
        List<FileEntry> files,
        List<WriteBatchReader> batches,
        List<PartitionDelete> deletes) {
    public PreparedPart {
        requireNonNull(transactionId, "transactionId is null");
        requireNonNull(prepareLsn, "prepareLsn is null");
        requireNonNull(readLsn, "readLsn is null");
        files = List.copyOf(files);
        batches = List.copyOf(batches);
        deletes = List.copyOf(deletes);
    }

    /** All tables that the part changes. */
    public Set<TableId> tables() {
        Set<TableId> tables = new LinkedHashSet<>();
        files.forEach(file -> tables.add(file.tableId()));
        batches.forEach(batch -> tables.add(batch.tableId()));
        deletes.forEach(delete -> tables.add(delete.tableId()));
        return tables;
    }

    /** The part with the plain batches that its conditional batches resolved to, by index. */
    public PreparedPart withResolved(Map<Integer, byte[]> resolved) {
        if (resolved.isEmpty()) {
            return this;
        }
        List<WriteBatchReader> plain = new ArrayList<>(batches);
        resolved.forEach((index, batch) -> plain.set(index, new WriteBatchReader(batch)));
        return new PreparedPart(transactionId, prepareLsn, readLsn, files, plain, deletes);
    }

    /** The part with the files and batches that another of its PREPARE records adds. */
    public PreparedPart and(Prepare more) {
        List<FileEntry> allFiles = new ArrayList<>(files);
        allFiles.addAll(more.files());
        List<WriteBatchReader> allBatches = new ArrayList<>(batches);
        more.batches().forEach(batch -> allBatches.add(TransactionRecords.reader(batch)));
        return new PreparedPart(transactionId, prepareLsn, readLsn, allFiles, allBatches, deletes);
    }

    public static PreparedPart of(Prepare prepare, Lsn prepareLsn) {
        return new PreparedPart(
                prepare.transactionId(),
                prepareLsn,
                prepare.readLsn(),
                prepare.files(),
                prepare.batches().stream().map(TransactionRecords::reader).toList(),
                prepare.deletes());
    }
}
