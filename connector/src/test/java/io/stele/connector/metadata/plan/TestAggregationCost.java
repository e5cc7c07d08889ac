package io.stele.connector.metadata.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.connector.metadata.plan.ReadCost.Store;
import io.stele.connector.metadata.plan.RepeatedAggregations.Columns;
import io.stele.protocol.TableId;
import io.stele.protocol.api.scan.AggregationEstimate;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The choice between sidecar and workers for aggregations of tables of known sizes. */
final class TestAggregationCost {
    private static final int MIB = 1 << 20;
    private static final Columns COLUMNS = new Columns(new TableId(7), Set.of(1, 2, 3));

    /** Of Q1: two columns of groups, eight functions, a condition. */
    private static final int OPERATIONS = 11;

    private static final AggregationEstimate COLD_Q1 = q1(1);
    private static final AggregationEstimate WARM_Q1 = q1(0);

    /**
     * TPC-H Q1, scale factor 1.
     *
     * @param missing share of its columns that the sidecar has not decoded
     */
    private static AggregationEstimate q1(double missing) {
        long rows = 6_000_000;
        long bytes = 120L * MIB;
        return new AggregationEstimate(
                9,
                280L * MIB,
                rows,
                bytes,
                7,
                rows,
                missing > 0 ? 9 : 0,
                Math.round(7 * rows * missing),
                Math.round(bytes * missing),
                0,
                2);
    }

    private static AggregationCost cost(AggregationEstimate work, Store store, int workers) {
        return AggregationCost.of(work, OPERATIONS, store, 64L * MIB, 2, workers);
    }

    @Test
    void columnsThatTheSidecarHasNotAreLeftToWorkers() {
        for (Store store : new Store[] {Store.S3, Store.LOCAL}) {
            for (int workers : new int[] {1, 10}) {
                AggregationCost cost = cost(COLD_Q1, store, workers);
                assertThat(cost.isSidecar()).as(cost.toString()).isFalse();
                assertThat(cost.choice(false).toString())
                        .startsWith("estimated sidecar ")
                        .endsWith(": workers");
            }
        }
    }

    @Test
    void columnsThatTheSidecarHasAreAggregatedThere() {
        for (Store store : new Store[] {Store.S3, Store.LOCAL}) {
            AggregationCost cost = cost(WARM_Q1, store, 1);
            assertThat(cost.isSidecar()).as(cost.toString()).isTrue();
            assertThat(cost.choice(false).sidecarRequests()).isZero();
            assertThat(cost.choice(false).toString()).endsWith(": sidecar");
        }
    }

    /** One sidecar stands against many workers. */
    @Test
    void manyWorkersAreFasterThanMemory() {
        assertThat(cost(q1(0), Store.LOCAL, 50).isSidecar()).isFalse();
    }

    @Test
    void resultsOfFilesCostNothing() {
        AggregationEstimate cached =
                new AggregationEstimate(
                        400, 20_000L * MIB, 400_000_000, 8_000L * MIB, 7, 0, 0, 0, 0, 0, 2);
        AggregationCost cost = cost(cached, Store.S3, 100);
        assertThat(cost.sidecarMillis()).isZero();
        assertThat(cost.isSidecar()).isTrue();
    }

    /** Over a network the sidecar waits for all of it, while workers count as half cold. */
    @Test
    void aSmallTableOnADiskIsAggregatedInTheSidecar() {
        AggregationEstimate small =
                new AggregationEstimate(
                        4, 8L * MIB, 60_000, 4L * MIB, 4, 60_000, 4, 240_000, 4L * MIB, 0, 2);
        AggregationCost cost = cost(small, Store.LOCAL, 1);
        assertThat(cost.isSidecar()).as(cost.toString()).isTrue();
        assertThat(cost(small, Store.S3, 1).isSidecar()).isFalse();
    }

    /** The columns come to the sidecar when it would have saved what that costs. */
    @Test
    void aRepeatedAggregationFillsTheCachesOnce() {
        RepeatedAggregations repeated = new RepeatedAggregations();
        AggregationCost cold = cost(COLD_Q1, Store.S3, 1);
        double lost = 0;
        int asked = 0;
        while (!repeated.fills(COLUMNS, cold)) {
            lost += cold.foregoneMillis();
            asked++;
            assertThat(asked).isLessThan(10);
        }
        assertThat(asked).as("the first is never the one that pays").isPositive();
        assertThat(lost).isGreaterThanOrEqualTo(cold.extraMillis());
        assertThat(lost - cold.foregoneMillis()).isLessThan(cold.extraMillis());
        assertThat(repeated.fills(COLUMNS, cost(WARM_Q1, Store.S3, 1))).isFalse(); // cheaper
    }

    /** What does not fit into the caches is not filled in again and again. */
    @Test
    void fillingInVainBecomesRare() {
        RepeatedAggregations repeated = new RepeatedAggregations();
        AggregationCost cold = cost(COLD_Q1, Store.S3, 1);
        int filled = 0;
        for (int i = 0; i < 1_000; i++) {
            filled += repeated.fills(COLUMNS, cold) ? 1 : 0;
        }
        assertThat(filled).isBetween(1, 10);
    }

    @Test
    void otherColumnsHaveAnAccountOfTheirOwn() {
        RepeatedAggregations repeated = new RepeatedAggregations();
        AggregationCost cold = cost(COLD_Q1, Store.S3, 1);
        for (int i = 0; i < 2_000; i++) { // more than are kept
            Columns columns = new Columns(new TableId(i + 1), Set.of(1));
            assertThat(repeated.fills(columns, cold)).isFalse();
        }
    }
}
