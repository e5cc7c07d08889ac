package io.stele.sidecar.scheduling;

import io.airlift.configuration.Config;
import io.airlift.configuration.ConfigDescription;
import io.airlift.units.Duration;
import io.airlift.units.MaxDuration;
import io.airlift.units.MinDuration;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;
import java.io.File;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The configuration of the scheduler of reads and writes, from {@code stele.scheduler} properties.
 */
public class SchedulerConfig {
    private Optional<File> groupsFile = Optional.empty();
    private Duration quantum = new Duration(200, TimeUnit.MICROSECONDS);
    private int readThreads = 32;
    private Policy policy = Policy.FAIR;

    /** The policies by which execution contexts get threads. */
    public enum Policy {
        /** Fair shares by scheduling group. */
        FAIR,
        /** First come, first served, without preemption; for comparison in benchmarks. */
        FIFO
    }

    public Optional<File> getGroupsFile() {
        return groupsFile;
    }

    @Config("stele.scheduler.groups-file")
    @ConfigDescription("JSON file of scheduling groups and of the rules that choose them")
    public SchedulerConfig setGroupsFile(File groupsFile) {
        this.groupsFile = Optional.ofNullable(groupsFile);
        return this;
    }

    @MinDuration("50us")
    @MaxDuration("100ms")
    public Duration getQuantum() {
        return quantum;
    }

    @Config("stele.scheduler.quantum")
    @ConfigDescription("How long a scan keeps its thread while others wait; lookups interrupt it")
    public SchedulerConfig setQuantum(Duration quantum) {
        this.quantum = quantum;
        return this;
    }

    @Min(1)
    @Max(1024)
    public int getReadThreads() {
        return readThreads;
    }

    @Config("stele.scheduler.read-threads")
    @ConfigDescription("Reads of the store for scans and lookups in progress at once")
    public SchedulerConfig setReadThreads(int readThreads) {
        this.readThreads = readThreads;
        return this;
    }

    @NotNull
    public Policy getPolicy() {
        return policy;
    }

    @Config("stele.scheduler.policy")
    @ConfigDescription("FAIR; or FIFO, a plain thread pool, which is for benchmarks only")
    public SchedulerConfig setPolicy(Policy policy) {
        this.policy = policy;
        return this;
    }
}
