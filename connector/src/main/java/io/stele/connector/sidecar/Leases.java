package io.stele.connector.sidecar;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.Lists;
import com.google.inject.Inject;
import io.airlift.concurrent.Threads;
import io.airlift.log.Logger;
import io.stele.connector.config.SteleConfig;
import io.stele.protocol.api.snapshot.RenewLeasesReply;
import io.stele.protocol.api.snapshot.RenewLeasesRequest;
import io.stele.protocol.api.snapshot.SnapshotActions;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * The leases that queries of this coordinator hold in the sidecar, of snapshots and open
 * transactions, with their renewal. All are renewed together, by a thread that does nothing else,
 * so that a slow request delays no other lease. Thread-safe.
 */
public final class Leases {
    private static final Logger log = Logger.get(Leases.class);

    /** Two renewals may fail before a lease ends. */
    private static final int RENEWALS_PER_TTL = 3;

    private static final int MAX_OF_EITHER = RenewLeasesRequest.MAX_LEASES / 2;

    private final Function<RenewLeasesRequest, RenewLeasesReply> sidecar;
    private final long snapshotTtlMillis;
    private final long transactionTtlMillis;
    private final Set<String> snapshots = ConcurrentHashMap.newKeySet();
    private final Set<String> transactions = ConcurrentHashMap.newKeySet();
    private final ScheduledExecutorService renewals =
            Executors.newSingleThreadScheduledExecutor(Threads.daemonThreadsNamed("stele-leases"));

    @Inject
    public Leases(SteleSidecar sidecar, SteleConfig config) {
        this(
                request ->
                        sidecar.callWithin(period(config), SnapshotActions.RENEW_LEASES, request),
                config.getSnapshotTtl().toJavaTime(),
                config.getTransactionTtl().toJavaTime());
        long periodMillis = period(config).toMillis();
        renewals.scheduleAtFixedRate(
                this::renew, periodMillis, periodMillis, TimeUnit.MILLISECONDS);
    }

    Leases(
            Function<RenewLeasesRequest, RenewLeasesReply> sidecar,
            Duration snapshotTtl,
            Duration transactionTtl) {
        this.sidecar = requireNonNull(sidecar, "sidecar is null");
        this.snapshotTtlMillis = snapshotTtl.toMillis();
        this.transactionTtlMillis = transactionTtl.toMillis();
    }

    private static Duration period(SteleConfig config) {
        long shortest =
                Math.min(config.getSnapshotTtl().toMillis(), config.getTransactionTtl().toMillis());
        return Duration.ofMillis(Math.max(1, shortest / RENEWALS_PER_TTL));
    }

    /** How many milliseconds a transaction lives after its last renewal. */
    public long transactionTtlMillis() {
        return transactionTtlMillis;
    }

    void addSnapshot(String id) {
        snapshots.add(id);
    }

    void removeSnapshot(String id) {
        snapshots.remove(id);
    }

    boolean hasSnapshot(String id) {
        return snapshots.contains(id);
    }

    /** Renews the lease of a transaction until it is removed. */
    public void addTransaction(String id) {
        transactions.add(id);
    }

    public void removeTransaction(String id) {
        transactions.remove(id);
    }

    /** Renews all leases. An expired one is not reported here: its next use fails. */
    void renew() {
        List<List<String>> ofSnapshots = Lists.partition(List.copyOf(snapshots), MAX_OF_EITHER);
        List<List<String>> ofTransactions =
                Lists.partition(List.copyOf(transactions), MAX_OF_EITHER);
        int requests = Math.max(ofSnapshots.size(), ofTransactions.size());
        for (int i = 0; i < requests; i++) {
            renew(
                    i < ofSnapshots.size() ? ofSnapshots.get(i) : List.of(),
                    i < ofTransactions.size() ? ofTransactions.get(i) : List.of());
        }
    }

    private void renew(List<String> someSnapshots, List<String> someTransactions) {
        try {
            RenewLeasesReply reply =
                    sidecar.apply(
                            new RenewLeasesRequest(
                                    someSnapshots,
                                    snapshotTtlMillis,
                                    someTransactions,
                                    transactionTtlMillis));
            for (String id : reply.endedTransactions()) {
                if (transactions.remove(id)) {
                    log.debug("Transaction %s has ended in the sidecar", id);
                }
            }
            for (String id : reply.endedSnapshots()) {
                if (snapshots.contains(id)) {
                    log.warn("Snapshot %s has ended in the sidecar", id);
                }
            }
        } catch (RuntimeException | Error e) {
            log.warn(
                    e,
                    "Cannot renew %s snapshots and %s transactions",
                    someSnapshots.size(),
                    someTransactions.size());
        }
    }

    @PreDestroy
    public void stop() {
        renewals.shutdownNow();
    }
}
