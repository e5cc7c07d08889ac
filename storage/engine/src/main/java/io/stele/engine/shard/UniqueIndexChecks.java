package io.stele.engine.shard;

import io.stele.engine.index.IndexView;
import io.stele.engine.shard.write.UniqueIndexCheck;
import io.stele.engine.tablet.TableShard;
import io.stele.protocol.TableId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The unique index checks of a shard's tables, for writes and transactions. A table's check objects
 * stay the same until its indexes change, so the claims that a check has noted stay in effect.
 * Confined to the shard's context.
 */
final class UniqueIndexChecks {
    private final Map<TableId, List<UniqueIndexCheck>> checks = new HashMap<>();

    /** The checks of a table's unique indexes as they are now. */
    List<UniqueIndexCheck> of(TableShard table) {
        TableId tableId = table.schema().id();
        if (!table.view().hasUniqueIndex()) {
            checks.remove(tableId);
            return List.of();
        }
        List<Integer> wanted =
                table.view().indexes().stream()
                        .filter(index -> index.keys().index().unique())
                        .map(IndexView::indexId)
                        .toList();
        List<UniqueIndexCheck> known = checks.getOrDefault(tableId, List.of());
        if (!known.stream().map(UniqueIndexCheck::indexId).toList().equals(wanted)) {
            known = wanted.stream().map(id -> new UniqueIndexCheck(table, id)).toList();
            checks.put(tableId, known);
        }
        return known;
    }

    /** Drops the state of a dropped table. */
    void forget(TableId tableId) {
        checks.remove(tableId);
    }
}
