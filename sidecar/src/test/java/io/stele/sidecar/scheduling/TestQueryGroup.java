package io.stele.sidecar.scheduling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.QueryIdentity;
import io.stele.protocol.SteleException;
import io.stele.scheduler.ExecutionContext;
import io.stele.scheduler.FairPoolOptions;
import io.stele.scheduler.GroupStatus;
import io.stele.scheduler.SimulatedWorkers;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Queries in a group of reads, on workers in virtual time. */
final class TestQueryGroup {
    private static final long MICROSECOND = 1_000;
    private static final long MILLISECOND = 1_000_000;
    private static final long MEGABYTE = 1 << 20;

    private final SimulatedWorkers workers =
            new SimulatedWorkers(
                    FairPoolOptions.of(2),
                    failure -> {
                        throw new AssertionError(failure);
                    });
    private final QueryGroup group =
            new QueryGroup(
                    new GroupSpec("boards", 1_000, 32, 1, 10, 100 * MEGABYTE),
                    workers.pool(),
                    workers::nowNanos);
    private final List<QueryRead> open = new ArrayList<>();

    private static QueryIdentity query(String user, String id) {
        return new QueryIdentity(user, "cli", "", id);
    }

    private QueryRead open(QueryIdentity identity) {
        QueryRead read = group.openScan(identity, MEGABYTE);
        open.add(read);
        return read;
    }

    private void compute(QueryRead read, int contexts) {
        for (int i = 0; i < contexts; i++) {
            ExecutionContext context = read.scanContext("scan");
            context.start(
                    signal -> {
                        workers.spend(20 * MICROSECOND);
                        return false;
                    });
        }
    }

    /** The claims of the group's queries, in the order of their creation. */
    private List<GroupStatus> claims() {
        return workers.pool().status().groups().stream()
                .filter(status -> status.name().equals("boards"))
                .flatMap(status -> status.nested().stream())
                .sorted((one, other) -> one.name().compareTo(other.name()))
                .toList();
    }

    @Test
    void scansOfOneQueryShareItsClaimHoweverManyContextsTheyHave() {
        compute(open(query("ann", "q1")), 8);
        compute(open(query("ann", "q1")), 8);
        compute(open(query("ann", "q2")), 1);
        workers.runUntil(1_000 * MILLISECOND);
        List<GroupStatus> claims = claims();
        assertThat(claims)
                .extracting(GroupStatus::name)
                .containsExactly("boards/q1#1", "boards/q2#3");
        double first = claims.get(0).cpuNanos();
        double second = claims.get(1).cpuNanos();
        assertThat(second / (first + second)).isBetween(0.48, 0.52);
    }

    @Test
    void aClaimLastsFromTheFirstScanOfAQueryToTheEndOfItsLast() {
        QueryRead first = open(query("ann", "q1"));
        QueryRead second = open(query("ann", "q1"));
        open(query("bob", "q1")); // nobody joins the query of another user
        open(QueryIdentity.NONE); // without an id each scan is a query
        open(QueryIdentity.NONE);
        assertThat(claims()).hasSize(4);
        assertThat(group.queries()).hasSize(4);
        first.close();
        first.close();
        assertThat(claims()).hasSize(4);
        second.close();
        assertThat(claims()).hasSize(3);
        open.forEach(QueryRead::close);
        assertThat(claims()).isEmpty();
        assertThat(group.queries()).isEmpty();
        assertThat(group.scanAdmission().running()).isZero();
        assertThat(group.scanAdmission().reservedBytes()).isZero();
    }

    @Test
    void aScanThatIsRefusedOrGivesUpLeavesNothing() {
        QueryRead large = group.openScan(query("ann", "large"), 1_000 * MEGABYTE);
        assertThat(large.state()).isEqualTo(QueryRead.State.RUNNING);
        assertThat(large.reservedBytes()).isEqualTo(100 * MEGABYTE);
        QueryRead waiting = group.openScan(query("ann", "waiting"), MEGABYTE);
        assertThat(waiting.state()).isEqualTo(QueryRead.State.QUEUED);
        assertThat(waiting.reservedBytes()).isZero();
        assertThatThrownBy(() -> group.openScan(query("ann", "refused"), MEGABYTE))
                .isInstanceOf(SteleException.class)
                .hasMessageContaining("104857600 of 104857600 bytes of memory and 1 wait");
        assertThat(claims()).hasSize(2);
        waiting.close();
        assertThat(claims()).hasSize(1);
        large.pause();
        assertThat(large.state()).isEqualTo(QueryRead.State.PAUSED);
        assertThat(large.resume()).isCompleted();
        large.close();
        assertThat(claims()).isEmpty();
        assertThat(group.scanAdmission().queued()).isZero();
    }

    @Test
    void aQueryThatWaitsForAResultLendsItsSharesToTheOneThatComputesIt() {
        SharedResults results = new SharedResults();
        QueryRead computing = open(query("ann", "computing"));
        QueryRead waiting = open(query("ann", "waiting"));
        compute(computing, 2);
        compute(open(query("ann", "other")), 4);
        assertThat(results.lend("file", waiting, 1)).isSameAs(SharedResults.Loan.NOTHING);
        results.begin("file", computing);
        SharedResults.Loan loan = results.lend("file", waiting, 1);
        workers.runUntil(1_000 * MILLISECOND);
        assertThat(claims())
                .extracting(GroupStatus::shares)
                .containsExactly(1_999, 1_000, 1); // computing, other, waiting
        double before = claims().get(0).cpuNanos();
        assertThat(before / (before + claims().get(1).cpuNanos())).isBetween(0.64, 0.69);

        loan.close();
        results.end("file", computing);
        assertThat(claims()).extracting(GroupStatus::shares).containsOnly(1_000);
        assertThat(results.lend("file", waiting, 1)).isSameAs(SharedResults.Loan.NOTHING);
    }

    /** The shares that a borrower lent come back to it whatever it has borrowed meanwhile. */
    @Test
    void aBorrowerHasRoomForWhatItLent() {
        SharedResults results = new SharedResults();
        QueryRead borrower = open(query("ann", "borrower"));
        QueryRead other = open(query("ann", "other"));
        results.begin("its", borrower);
        results.begin("of the other", other);
        SharedResults.Loan lent = results.lend("of the other", borrower, 2);
        assertThat(lent).isNotSameAs(SharedResults.Loan.NOTHING);
        List<SharedResults.Loan> borrowed = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            QueryRead waiting = open(query("ann", "waiting " + i));
            borrowed.add(results.lend("its", waiting, i < 9 ? 1 : 2));
        }
        lent.close();
        borrowed.forEach(SharedResults.Loan::close);
        assertThat(claims()).extracting(GroupStatus::shares).containsOnly(1_000);
    }

    @Test
    void everyLoanCanBeReturnedInAnyOrder() {
        for (int seed = 0; seed < 200; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            SharedResults results = new SharedResults();
            List<QueryRead> reads = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                reads.add(group.openScan(query("ann", "query " + i % 6), 0));
                results.begin(i, reads.get(i));
            }
            List<SharedResults.Loan> loans = new ArrayList<>();
            for (int step = 0; step < 100; step++) {
                if (loans.isEmpty() || random.nextBoolean()) {
                    loans.add(
                            results.lend(
                                    random.nextInt(8),
                                    reads.get(random.nextInt(8)),
                                    1 + random.nextInt(8)));
                } else {
                    loans.remove(random.nextInt(loans.size())).close();
                }
                assertThat(claims().stream().mapToInt(GroupStatus::shares).sum())
                        .as("seed %s", seed)
                        .isEqualTo(6_000);
            }
            loans.forEach(SharedResults.Loan::close);
            assertThat(claims())
                    .as("seed %s", seed)
                    .extracting(GroupStatus::shares)
                    .containsOnly(1_000);
            reads.forEach(QueryRead::close);
        }
    }

    @Test
    void aLookupHasNoClaimOfItsOwn() {
        try (QueryRead lookup = group.openLookup()) {
            assertThat(claims()).isEmpty();
            assertThat(lookup.lookupContext("lookup").group().name()).isEqualTo("boards.lookups");
            assertThatThrownBy(() -> lookup.scanContext("scan"))
                    .isInstanceOf(IllegalStateException.class);
        }
        assertThat(group.lookupAdmission().running()).isZero();
    }
}
