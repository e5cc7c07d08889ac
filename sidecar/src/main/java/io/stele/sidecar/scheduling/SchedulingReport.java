package io.stele.sidecar.scheduling;

import static java.util.Objects.requireNonNull;

import io.stele.engine.node.ThreadsStatus;
import io.stele.protocol.api.status.QueryStatus;
import io.stele.protocol.api.status.SchedulingGroupStatus;
import io.stele.scheduler.GroupStatus;
import io.stele.scheduler.PoolLoad;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Supplier;

/**
 * A report of the present use of the sidecar's threads: the scheduling groups and queries with
 * their use in the last ten seconds, and the other pools. Thread-safe: guarded by its own lock.
 */
public final class SchedulingReport {
    /** The interval at which {@link #sample} must be called. */
    public static final long SAMPLE_MILLIS = 1_000;

    private static final int WINDOW_SAMPLES = 10;
    private static final String CONTEXTS = "contexts";

    private final Supplier<ThreadsStatus> threads;
    private final QueryScheduler queries;
    private final ArrayDeque<Map<String, GroupStatus>> samples = new ArrayDeque<>();

    public SchedulingReport(Supplier<ThreadsStatus> threads, QueryScheduler queries) {
        this.threads = requireNonNull(threads, "threads is null");
        this.queries = requireNonNull(queries, "queries is null");
        sample();
    }

    /** Records the use until now. */
    public synchronized void sample() {
        if (samples.size() == WINDOW_SAMPLES) {
            samples.removeFirst();
        }
        Map<String, GroupStatus> sample = new HashMap<>();
        for (GroupStatus group : threads.get().contexts().groups()) {
            sample.put(group.name(), group);
            // Names of queries have a number and a sign that names of groups cannot have.
            group.nested().forEach(query -> sample.put(query.name(), query));
        }
        samples.addLast(sample);
    }

    /** The present use of all groups, then of the other pools. */
    public synchronized List<SchedulingGroupStatus> groups() {
        ThreadsStatus status = threads.get();
        Map<String, GroupStatus> before = samples.getFirst();
        long used = usedNanos(status, before);
        Map<String, ReadAdmission> admissions = new HashMap<>();
        for (QueryGroup group : queries.groups()) {
            admissions.put(group.name(), group.scanAdmission());
            admissions.put(QueryGroup.lookupsName(group.name()), group.lookupAdmission());
        }
        List<SchedulingGroupStatus> lines = new ArrayList<>();
        for (GroupStatus group : status.contexts().groups()) {
            lines.add(line(group, before, used, admissions));
        }
        lines.add(line("background", status.background()));
        lines.add(line("flushing", status.flushing()));
        lines.add(line("merging", status.merging()));
        lines.add(line("loading", status.loading()));
        lines.add(line("write-reads", status.lookups()));
        lines.add(line("query-reads", queries.reads()));
        return lines;
    }

    /** The queries with open scans, oldest first. */
    public synchronized List<QueryStatus> queries() {
        ThreadsStatus status = threads.get();
        Map<String, GroupStatus> before = samples.getFirst();
        long used = usedNanos(status, before);
        Map<String, GroupStatus> claims = new HashMap<>();
        for (GroupStatus group : status.contexts().groups()) {
            group.nested().forEach(query -> claims.put(query.name(), query));
        }
        List<QueryStatus> lines = new ArrayList<>();
        for (QueryGroup group : queries.groups()) {
            for (ActiveQuery query : group.queries()) {
                GroupStatus claim = claims.get(query.claim().name());
                if (claim != null) { // else it began or ended meanwhile
                    lines.add(line(group.name(), query, claim, before, used));
                }
            }
        }
        lines.sort(Comparator.comparingLong(QueryStatus::elapsedNanos).reversed());
        return lines;
    }

    private QueryStatus line(
            String group,
            ActiveQuery query,
            GroupStatus claim,
            Map<String, GroupStatus> before,
            long usedByAll) {
        List<QueryRead> reads = List.copyOf(query.reads());
        return new QueryStatus(
                group,
                query.identity().queryId(),
                query.identity().user(),
                query.identity().source(),
                query.identity().resourceGroup(),
                queries.nanoTime() - query.sinceNanos(),
                claim.shares(),
                share(entitledNanos(claim, before), usedByAll),
                share(cpuNanos(claim, before), usedByAll),
                claim.cpuNanos(),
                reads.stream().mapToLong(QueryRead::contexts).sum(),
                claim.runningContexts() + claim.waitingContexts(),
                claim.waitingContexts(),
                count(reads, QueryRead.State.RUNNING),
                count(reads, QueryRead.State.QUEUED),
                count(reads, QueryRead.State.PAUSED),
                reads.stream().mapToLong(QueryRead::reservedBytes).sum());
    }

    private static long count(List<QueryRead> reads, QueryRead.State state) {
        return reads.stream().filter(read -> read.state() == state).count();
    }

    private static long usedNanos(ThreadsStatus status, Map<String, GroupStatus> before) {
        return status.contexts().groups().stream()
                .mapToLong(group -> cpuNanos(group, before))
                .sum();
    }

    private static SchedulingGroupStatus line(
            GroupStatus group,
            Map<String, GroupStatus> before,
            long usedByAll,
            Map<String, ReadAdmission> admissions) {
        ReadAdmission admission = admissions.get(group.name());
        return new SchedulingGroupStatus(
                CONTEXTS,
                group.name(),
                group.shares(),
                share(entitledNanos(group, before), usedByAll),
                share(cpuNanos(group, before), usedByAll),
                group.runningContexts() + group.waitingContexts(),
                group.waitingContexts(),
                admission == null ? 0 : admission.running(),
                admission == null ? 0 : admission.queued(),
                group.switches(),
                group.overruns(),
                group.steals(),
                admission == null ? 0 : admission.rejected(),
                admission == null ? 0 : admission.reservedBytes(),
                admission == null || admission.maxBytes() == Long.MAX_VALUE
                        ? OptionalLong.empty()
                        : OptionalLong.of(admission.maxBytes()));
    }

    private static SchedulingGroupStatus line(String pool, PoolLoad load) {
        return new SchedulingGroupStatus(
                pool,
                pool,
                0,
                0,
                0,
                0,
                load.waiting(),
                load.running(),
                0,
                load.finished(),
                0,
                0,
                0,
                0,
                OptionalLong.empty());
    }

    private static double share(long nanos, long ofAll) {
        return ofAll == 0 ? 0 : Math.min(1, (double) nanos / ofAll);
    }

    private static long cpuNanos(GroupStatus group, Map<String, GroupStatus> before) {
        GroupStatus then = before.get(group.name());
        return group.cpuNanos() - (then == null ? 0 : then.cpuNanos());
    }

    private static long entitledNanos(GroupStatus group, Map<String, GroupStatus> before) {
        GroupStatus then = before.get(group.name());
        return group.entitledNanos() - (then == null ? 0 : then.entitledNanos());
    }
}
