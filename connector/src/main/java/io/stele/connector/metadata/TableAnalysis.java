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
 * The ANALYZE statement, as a request to the sidecar to flush the table and to read its files
 * without column sketches. Most files have sketches of their columns from the time when they were
 * written, so Trino itself only counts rows. Stateless.
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
