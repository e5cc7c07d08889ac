package io.stele.sidecar.engine;

import static java.util.Objects.requireNonNull;

import com.google.common.base.Suppliers;
import com.google.inject.Inject;
import io.stele.protocol.api.status.SchedulingGroupStatus;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.weakref.jmx.MBeanExporter;

/**
 * An exporter of the metrics of every scheduling group and pool, which exist once the engine is
 * open.
 */
public final class SchedulingGroupMBeans {
    // A scrape reads every gauge: one snapshot of the scheduler serves them all.
    private static final long CACHE_MILLIS = 500;

    private final EngineService engine;
    private final MBeanExporter exporter;

    @Inject
    public SchedulingGroupMBeans(EngineService engine, MBeanExporter exporter) {
        this.engine = requireNonNull(engine, "engine is null");
        this.exporter = requireNonNull(exporter, "exporter is null");
    }

    /** Exports the metrics; called once, when the engine is open. */
    public void export() {
        Supplier<List<SchedulingGroupStatus>> groups =
                Suppliers.memoizeWithExpiration(
                        engine::schedulingGroups, CACHE_MILLIS, TimeUnit.MILLISECONDS);
        for (SchedulingGroupStatus group : engine.schedulingGroups()) {
            String name = group.group();
            exporter.export(
                    "stele:name=scheduling_group,group=" + name,
                    new SchedulingGroupMetrics(
                            () ->
                                    groups.get().stream()
                                            .filter(line -> line.group().equals(name))
                                            .findFirst()));
        }
    }
}
