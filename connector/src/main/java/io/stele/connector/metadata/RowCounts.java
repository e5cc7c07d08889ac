package io.stele.connector.metadata;

import static java.util.Objects.requireNonNull;

import io.airlift.log.Logger;
import io.stele.client.flight.FlightStream;
import io.stele.connector.sidecar.QuerySnapshots;
import io.stele.connector.sidecar.SteleSidecar;
import io.stele.protocol.Lsn;
import io.stele.protocol.QueryIdentity;
import io.stele.protocol.aggregate.AggregateCall;
import io.stele.protocol.aggregate.AggregateFunction;
import io.stele.protocol.aggregate.Aggregation;
import io.stele.protocol.api.catalog.TableName;
import io.stele.protocol.api.scan.ScanMode;
import io.stele.protocol.api.scan.ScanTicket;
import io.stele.protocol.arrow.ArrowBatchDecoder;
import io.stele.protocol.flight.FlightData;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.schema.TableSchema;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A client for a table's row count at a past LSN, for the result of a partition delete. The sidecar
 * computes counts mostly from the file entries of manifests. Thread-safe.
 */
final class RowCounts {
    private static final Logger log = Logger.get(RowCounts.class);
    private static final Aggregation COUNT =
            new Aggregation(
                    List.of(),
                    List.of(new AggregateCall(AggregateFunction.COUNT, Optional.empty())),
                    1);

    private final SteleSidecar sidecar;
    private final QuerySnapshots querySnapshots;

    RowCounts(SteleSidecar sidecar, QuerySnapshots querySnapshots) {
        this.sidecar = requireNonNull(sidecar, "sidecar is null");
        this.querySnapshots = requireNonNull(querySnapshots, "querySnapshots is null");
    }

    /**
     * Counts the rows of a predicate just before an LSN; empty if the request fails, because that
     * must not fail a statement that has already deleted them.
     */
    OptionalLong before(
            Lsn lsn, TableSchema table, ScanPredicate predicate, QueryIdentity identity) {
        TableName name = new TableName(table.schemaName(), table.tableName());
        try (QuerySnapshots.Lease lease =
                querySnapshots.openVersion(name, new Lsn(lsn.value() - 1)).lease()) {
            ScanTicket ticket =
                    ScanTicket.of(table.id(), ScanMode.AGGREGATE, List.of())
                            .at(lease.id(), lease.lsn())
                            .ofVersion(table.schemaVersion())
                            .where(predicate)
                            .aggregate(Optional.of(COUNT))
                            .build();
            try (FlightStream stream = sidecar.scan(ticket.encode(), identity)) {
                Optional<FlightData> schema = stream.next();
                Optional<FlightData> rows = stream.next();
                return schema.isEmpty() || rows.isEmpty()
                        ? OptionalLong.empty()
                        : OptionalLong.of(count(schema.get(), rows.get()));
            }
        } catch (RuntimeException e) {
            log.warn(e, "Cannot count the rows of %s before LSN %s", name, lsn);
            return OptionalLong.empty();
        }
    }

    private static long count(FlightData schema, FlightData rows) {
        return ArrowBatchDecoder.forSchema(schema.dataHeader())
                .decode(rows.dataHeader(), rows.bodyBuffer())
                .column(0)
                .longAt(0);
    }
}
