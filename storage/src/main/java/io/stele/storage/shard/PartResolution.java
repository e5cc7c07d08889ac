package io.stele.storage.shard;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.wire.WriteBatchReader;
import io.stele.storage.tablet.TableFiles;
import io.stele.storage.tablet.TableShard;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Works out the conditional operations of a transaction's part, and puts its batches to the checks
 * of their tables. Runs on the shard's context while the shard's log is held: everything below the
 * commit LSN is applied, nothing is on its way to the log, and nothing changes meanwhile. So it
 * comes to the same again at recovery. Blocks on files, as the conflict check beside it does.
 */
final class PartResolution {
    private final TableGroupShard shard;
    private final TableFiles files;
    private final Map<TableId, TableChanges> changes = new HashMap<>();

    PartResolution(TableGroupShard shard, TableFiles files) {
        this.shard = requireNonNull(shard, "shard is null");
        this.files = requireNonNull(files, "files is null");
    }

    /**
     * What the batches with conditional operations come to, by their index.
     *
     * @throws SteleException what makes the transaction fail: DUPLICATE_KEY and the like
     */
    Map<Integer, byte[]> run(PreparedPart part) throws IOException {
        Map<Integer, byte[]> resolved = new HashMap<>();
        for (int index = 0; index < part.batches().size(); index++) {
            WriteBatchReader batch = part.batches().get(index);
            boolean conditional = isConditional(batch);
            List<ChangeCheck> checks = shard.checks(batch.tableId());
            if (!conditional && checks.isEmpty() && !changes.containsKey(batch.tableId())) {
                continue;
            }
            TableShard table = shard.table(batch.tableId());
            if (conditional) {
                checkNoFiles(part, table);
            }
            if (!table.schema().hasPrimaryKey()) {
                continue;
            }
            WriteBatchReader plain = resolve(table, batch, conditional, checks);
            if (conditional) {
                resolved.put(index, Arrays.copyOf(plain.buffer(), plain.sizeBytes()));
            }
        }
        return resolved;
    }

    private WriteBatchReader resolve(
            TableShard table, WriteBatchReader batch, boolean conditional, List<ChangeCheck> checks)
            throws IOException {
        SteleException stale = shard.staleness(table, batch);
        if (stale != null) {
            throw stale;
        }
        TableChanges tableChanges =
                changes.computeIfAbsent(batch.tableId(), id -> new TableChanges(checks));
        BatchProbes probes = new BatchProbes(new FileRows(table.schema(), files), checks);
        while (true) {
            Resolution resolution =
                    new BatchEvaluation(table, batch, tableChanges, probes).run(conditional);
            switch (resolution) {
                case Resolution.Accepted accepted -> {
                    tableChanges.keep(1);
                    return accepted.batch();
                }
                case Resolution.Refused refused -> throw refused.cause();
                case Resolution.Undecided _ -> {
                    tableChanges.takeBack();
                    probes.answer(probes.takeOpen().answer());
                }
            }
        }
    }

    // Files come before rows in a transaction, and their keys are not looked at here.
    private static void checkNoFiles(PreparedPart part, TableShard table) {
        boolean hasFiles =
                part.files().stream().anyMatch(file -> file.tableId().equals(table.schema().id()));
        if (hasFiles) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected files or conditional writes of table %s in one transaction, found both"
                            .formatted(table.schema().qualifiedName()));
        }
    }

    static boolean isConditional(WriteBatchReader batch) {
        batch.rewind();
        boolean conditional = false;
        while (!conditional && batch.next()) {
            conditional = batch.kind().isConditional();
        }
        batch.rewind();
        return conditional;
    }
}
