package io.stele.engine;

import io.stele.protocol.schema.Orientation;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Every workload that simulations run, by name. */
final class Workloads {
    private static final Map<String, Maker> ALL = new TreeMap<>();

    static {
        ALL.put("batches", BatchesWorkload::new);
        ALL.put("indexes", IndexesWorkload::new);
        ALL.put("row-changes", simulation -> ChangesWorkload.keyed(simulation, Orientation.ROW));
        ALL.put(
                "column-changes",
                simulation -> ChangesWorkload.keyed(simulation, Orientation.COLUMN));
        ALL.put(
                "row-column-changes",
                simulation -> ChangesWorkload.keyed(simulation, Orientation.ROW_COLUMN));
        ALL.put(
                "row-conditional",
                simulation -> ConditionalWorkload.of(simulation, Orientation.ROW));
        ALL.put(
                "column-conditional",
                simulation -> ConditionalWorkload.of(simulation, Orientation.COLUMN));
        ALL.put(
                "row-unique",
                simulation -> ConditionalWorkload.unique(simulation, Orientation.ROW));
        ALL.put(
                "column-unique",
                simulation -> ConditionalWorkload.unique(simulation, Orientation.COLUMN));
        ALL.put("unique-builds", UniqueBuildsWorkload::new);
        ALL.put("appends", ChangesWorkload::appendOnly);
        for (Orientation orientation : Orientation.values()) {
            String kind = orientation.text().replace(',', '-');
            ALL.put(
                    kind + "-partition-deletes",
                    simulation -> PartitionDeletesWorkload.keyed(simulation, orientation));
            ALL.put(
                    kind + "-whole-deletes",
                    simulation -> PartitionDeletesWorkload.whole(simulation, orientation));
        }
        ALL.put("append-partition-deletes", PartitionDeletesWorkload::appends);
        ALL.put("row-expiry", simulation -> TimeToLiveWorkload.of(simulation, Orientation.ROW));
        ALL.put(
                "column-expiry",
                simulation -> TimeToLiveWorkload.of(simulation, Orientation.COLUMN));
        ALL.put(
                "row-evolution",
                simulation -> EvolutionWorkload.of(simulation, Orientation.ROW, true));
        ALL.put(
                "column-evolution",
                simulation -> EvolutionWorkload.of(simulation, Orientation.COLUMN, true));
        ALL.put(
                "row-column-evolution",
                simulation -> EvolutionWorkload.of(simulation, Orientation.ROW_COLUMN, true));
        ALL.put(
                "append-evolution",
                simulation -> EvolutionWorkload.of(simulation, Orientation.COLUMN, false));
        ALL.put("orphans", OrphansWorkload::new);
        ALL.put("replacements", ReplacementsWorkload::new);
        ALL.put("row-loads", simulation -> LoadsWorkload.of(simulation, Orientation.ROW));
        ALL.put("column-loads", simulation -> LoadsWorkload.of(simulation, Orientation.COLUMN));
        ALL.put("transfers", TransfersWorkload::new);
        ALL.put("large-transactions", LargeTransactionsWorkload::new);
    }

    private Workloads() {}

    /** Makes a workload on a fresh node. */
    @FunctionalInterface
    interface Maker {
        Workload make(Simulation simulation) throws IOException;
    }

    /** Those that seeds choose from. */
    static List<String> names() {
        return List.copyOf(ALL.keySet());
    }

    static Workload make(String name, Simulation simulation) throws IOException {
        Maker maker = ALL.get(name);
        if (maker == null) {
            throw new IllegalArgumentException(
                    "Expected one of " + ALL.keySet() + ", found '" + name + "'");
        }
        return maker.make(simulation);
    }
}
