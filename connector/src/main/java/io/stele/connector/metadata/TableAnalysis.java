package io.stele.connector.metadata;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.stele.connector.metadata.catalog.CatalogRequests;
import io.stele.protocol.api.maintenance.JobKind;
import io.trino.spi.connector.ConnectorAnalyzeMetadata;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.statistics.TableStatisticType;
import io.trino.spi.statistics.TableStatisticsMetadata;

/**
 * ANALYZE: files have sketches of their columns since they were written, so Trino counts rows only,
 * and the sidecar flushes and reads those files that have none. Stateless.
 */
final class TableAnalysis {
    private TableAnalysis() {}

    /** The statistics that Trino must compute: the fewest that its interface allows. */
    static ConnectorAnalyzeMetadata metadata(ConnectorTableHandle table) {
        return new ConnectorAnalyzeMetadata(
                table,
                new TableStatisticsMetadata(
                        ImmutableSet.of(),
                        ImmutableSet.of(TableStatisticType.ROW_COUNT),
                        ImmutableList.of()));
    }

    static void run(CatalogRequests catalog, SchemaTableName table) {
        catalog.maintain(JobKind.ANALYZE, table);
    }
}
