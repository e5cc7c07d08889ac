package io.stele.connector.metadata.plan;

import static java.util.Objects.requireNonNull;

import io.stele.connector.config.SteleSessionProperties;
import io.stele.connector.handle.AggregationChoice;
import io.stele.connector.handle.SteleColumnHandle;
import io.stele.connector.handle.SteleTableHandle;
import io.stele.connector.type.ScanPredicates;
import io.stele.protocol.aggregate.Aggregation;
import io.stele.protocol.api.scan.AggregationEstimate;
import io.stele.protocol.api.scan.EstimateAggregationRequest;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ConnectorSession;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * The choices of one transaction whether the sidecar or workers compute an aggregation, each from
 * an estimate that the sidecar returns. Trino requests the same choice several times during
 * planning and gets the same result. Thread-safe.
 */
public final class AggregationChoices {
    private final ReadCosts costs;
    private final Function<EstimateAggregationRequest, AggregationEstimate> sidecar;
    private final Map<Asked, Optional<AggregationChoice>> made = new ConcurrentHashMap<>();

    /** An aggregation of a table as a query reads it. */
    private record Asked(SteleTableHandle table, Aggregation aggregation) {}

    /**
     * @param sidecar requests the sidecar's estimate of an aggregation
     */
    public AggregationChoices(
            ReadCosts costs, Function<EstimateAggregationRequest, AggregationEstimate> sidecar) {
        this.costs = requireNonNull(costs, "costs is null");
        this.sidecar = requireNonNull(sidecar, "sidecar is null");
    }

    /**
     * The estimate by which the sidecar or the workers are chosen.
     *
     * @param rows approximate rows of the table
     * @return empty: the sidecar aggregates, without an estimate
     */
    public Optional<AggregationChoice> find(
            ConnectorSession session,
            SteleTableHandle table,
            Aggregation aggregation,
            double rows) {
        if (rows <= AggregationCost.FEW_ROWS
                || !SteleSessionProperties.isCostBasedAggregationEnabled(session)) {
            return Optional.empty();
        }
        Asked asked = new Asked(table, aggregation);
        Optional<AggregationChoice> before = made.get(asked);
        if (before != null) {
            return before;
        }
        Optional<AggregationChoice> now = ask(table, aggregation);
        made.put(asked, now);
        return now;
    }

    /** The choice by which an aggregation of a scan was left to workers; empty if there is none. */
    public Optional<AggregationChoice> leftToWorkers(SteleTableHandle table) {
        return made.entrySet().stream()
                .filter(entry -> entry.getKey().table().equals(table))
                .flatMap(entry -> entry.getValue().stream())
                .filter(choice -> !choice.isSidecar())
                .findFirst();
    }

    private Optional<AggregationChoice> ask(SteleTableHandle table, Aggregation aggregation) {
        EstimateAggregationRequest request =
                new EstimateAggregationRequest(
                        table.snapshotId(),
                        table.table().id(),
                        table.table().schemaVersion(),
                        ScanPredicates.of(table.table(), table.constraint()),
                        aggregation);
        AggregationEstimate work;
        try {
            work = sidecar.apply(request);
        } catch (TrinoException unknown) {
            return Optional.empty(); // the query itself reports the failure
        }
        Set<Integer> columns = new TreeSet<>(aggregation.columnIds());
        table.constraint().getDomains().orElse(Map.of()).keySet().stream()
                .map(SteleColumnHandle::id)
                .forEach(columns::add);
        int operations =
                aggregation.calls().size()
                        + aggregation.groupColumns().size()
                        + table.constraint().getDomains().orElse(Map.of()).size();
        return Optional.of(
                costs.aggregation(
                        new RepeatedAggregations.Columns(table.table().id(), columns),
                        work,
                        operations));
    }
}
