package io.stele.benchmarks.serving;

import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;

/** The six core workloads, as YCSB defines them. */
enum YcsbWorkload {
    /** Session store. */
    A("zipfian", Map.of(Operation.READ, 0.5, Operation.UPDATE, 0.5)),
    /** Photo tagging. */
    B("zipfian", Map.of(Operation.READ, 0.95, Operation.UPDATE, 0.05)),
    /** User profiles. */
    C("zipfian", Map.of(Operation.READ, 1.0)),
    /** Status updates. */
    D("latest", Map.of(Operation.READ, 0.95, Operation.INSERT, 0.05)),
    /** Threaded conversations: scans of up to 100 rows, uniformly. */
    E("zipfian", Map.of(Operation.SCAN, 0.95, Operation.INSERT, 0.05)),
    /** User database: rows are read, changed and written back. */
    F("zipfian", Map.of(Operation.READ, 0.5, Operation.READMODIFYWRITE, 0.5));

    /** What a workload consists of, by the names of YCSB's properties. */
    enum Operation {
        READ,
        UPDATE,
        INSERT,
        SCAN,
        READMODIFYWRITE
    }

    private final String distribution;
    private final Map<Operation, Double> proportions;

    YcsbWorkload(String distribution, Map<Operation, Double> proportions) {
        this.distribution = distribution;
        this.proportions = new EnumMap<>(proportions);
    }

    Set<Operation> operations() {
        return proportions.keySet();
    }

    Properties properties() {
        Properties properties = new Properties();
        properties.setProperty("workload", "site.ycsb.workloads.CoreWorkload");
        properties.setProperty("readallfields", "true");
        properties.setProperty("requestdistribution", distribution);
        properties.setProperty("maxscanlength", "100");
        properties.setProperty("scanlengthdistribution", "uniform");
        for (Operation operation : List.of(Operation.values())) {
            properties.setProperty(
                    operation.name().toLowerCase(Locale.ROOT) + "proportion",
                    Double.toString(proportions.getOrDefault(operation, 0.0)));
        }
        return properties;
    }
}
