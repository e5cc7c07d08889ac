package io.stele.protocol.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.protocol.api.catalog.CatalogActions;
import io.stele.protocol.api.maintenance.MaintenanceActions;
import io.stele.protocol.api.scan.ScanActions;
import io.stele.protocol.api.snapshot.SnapshotActions;
import io.stele.protocol.api.status.StatusActions;
import io.stele.protocol.api.write.WriteActions;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Names of actions, and which of them the framed protocol has: peers of other releases know them.
 */
final class TestActions {
    @Test
    void namesStay() throws IllegalAccessException {
        assertThat(names(Action.Framing.NONE))
                .containsExactlyInAnyOrder(
                        "create-schema",
                        "drop-schema",
                        "rename-schema",
                        "list-schemas",
                        "create-table",
                        "drop-table",
                        "truncate-table",
                        "rename-table",
                        "list-tables",
                        "get-table",
                        "get-relation",
                        "create-view",
                        "drop-view",
                        "rename-view",
                        "set-view",
                        "set-refresh",
                        "list-views",
                        "set-comment",
                        "set-default",
                        "set-options",
                        "alter-table",
                        "table-statistics",
                        "watch-metadata",
                        "transaction-outcome",
                        "abort-transaction",
                        "delete-partitions",
                        "list-partitions",
                        "list-files",
                        "flush",
                        "compact",
                        "analyze",
                        "table-history",
                        "expire-history",
                        "remove-orphan-files",
                        "run-job",
                        "cancel-job",
                        "list-jobs",
                        "status",
                        "scheduling-groups",
                        "statements",
                        "data-cache",
                        "fragment-cache",
                        "memory-caches",
                        "retrieval");
        assertThat(names(Action.Framing.READS))
                .containsExactlyInAnyOrder(
                        "renew-leases",
                        "metadata-changes",
                        "node-address",
                        "open-snapshot",
                        "open-table",
                        "open-version",
                        "renew-snapshot",
                        "close-snapshot",
                        "plan-scan",
                        "estimate-aggregation",
                        "file-metadata",
                        "keep-file-metadata");
        assertThat(names(Action.Framing.TRANSACTIONS))
                .containsExactlyInAnyOrder("begin-transaction", "commit-transaction");
    }

    private static List<String> names(Action.Framing framing) throws IllegalAccessException {
        List<String> names = new ArrayList<>();
        for (Class<?> topic :
                List.of(
                        CatalogActions.class,
                        MaintenanceActions.class,
                        ScanActions.class,
                        SnapshotActions.class,
                        StatusActions.class,
                        WriteActions.class)) {
            for (Field constant : topic.getFields()) {
                Action<?, ?> action = (Action<?, ?>) constant.get(null);
                if (action.framing() == framing) {
                    names.add(action.name());
                }
            }
        }
        return names;
    }
}
