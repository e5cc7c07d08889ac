package io.stele.connector.metadata.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.connector.metadata.plan.ReadCost.Files;
import io.stele.connector.metadata.plan.ReadCost.Store;
import io.stele.objectstore.ForwardingObjectStore;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.objectstore.retrieval.RetrievalStatistics;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is chosen for tables of known sizes: keys are in no place of a file that they tell. */
final class TestReadCost {
    private static final int THREADS = 2;
    private static final int MIB = 1 << 20;

    /** TPC-H, scale factor 1: four shards with a file or two each. */
    private static final Files ORDERS = files(6, 1_500_000, 57L * MIB, 0);

    private static final Files STORES = files(1, 100, 10_000, 0);

    @Test
    void oneKeyOfALargeTableIsLookedUp() {
        assertLookup(1, files(10_000, 10_000_000_000L, 10_000L * 20 * MIB, 0), Store.S3);
        assertLookup(1, files(1, 1_000_000, 20 * MIB, 0), Store.S3);
        assertLookup(1, ORDERS, Store.LOCAL);
    }

    @Test
    void fewKeysOfALargeTableAreLookedUp() {
        Files lineitem = files(40, 60_000_000, 2_000L * MIB, 0);
        assertLookup(20, lineitem, Store.S3);
        assertLookup(20, lineitem, Store.LOCAL);
        assertLookup(57, lineitem, Store.S3);
        assertLookup(1_000, files(400, 6_000_000_000L, 200_000L * MIB, 0), Store.S3);
    }

    /** The dynamic filter of Q18. */
    @Test
    void keysInAThirdOfTheRowGroupsAreScannedFor() {
        assertScan(57, ORDERS, Store.S3);
        assertScan(1_000, ORDERS, Store.S3);
    }

    @Test
    void keysOfASmallFileAreScannedFor() {
        assertScan(20, STORES, Store.S3);
        assertScan(20, files(1, 200_000, 9 * MIB, 0), Store.S3);
    }

    /** However many workers would scan. */
    @Test
    void fewRowGroupsOfManyAreLookedUp() {
        for (int workers : new int[] {1, 10, 20}) {
            for (Files large :
                    List.of(
                            files(5_000, 200_000_000, 10_240L * MIB, 0),
                            files(3_000, 60_000_000, 3_072L * MIB, 0),
                            files(400, 20_000_000, 1_024L * MIB, 0))) {
                for (Store store : List.of(Store.S3, Store.LOCAL)) {
                    ReadCost cost = ReadCost.of(2, large, store, 16, workers);
                    assertThat(cost.isLookup()).as(cost.toString()).isTrue();
                }
            }
        }
    }

    @Test
    void rowGroupsOfWideRowsAreSmall() {
        assertLookup(10, files(8, 200_000, 1_024L * MIB, 0), Store.LOCAL);
    }

    /** Its splits are read side by side, as those of many files are. */
    @Test
    void manyKeysOfALargeFileAreScannedFor() {
        ReadCost cost = ReadCost.of(1_000, files(1, 20_000_000, 2_048L * MIB, 0), Store.S3, 16, 4);
        assertThat(cost.isLookup()).as(cost.toString()).isFalse();
    }

    @Test
    void localDisks() {
        assertLookup(8, files(4, 15_000, MIB, 0), Store.LOCAL);
        assertScan(1_000, ORDERS, Store.LOCAL);
        assertLookup(1_000, files(40, 600_000_000, 20_000L * MIB, 0), Store.LOCAL);
    }

    /** They come from the sidecar in either way. */
    @Test
    void rowsInNoFileAreLookedUp() {
        assertLookup(1_000, files(0, 0, 0, 1_000_000), Store.S3);
        assertLookup(2, files(0, 0, 0, 0), Store.S3);
    }

    @Test
    void slowerStoresAndMoreWorkers() {
        Store slow = new Store(300, 200);
        assertThat(cost(20, ORDERS, slow, 1).lookupMillis())
                .isGreaterThan(cost(20, ORDERS, Store.S3, 1).lookupMillis());
        assertThat(cost(20, ORDERS, Store.S3, 10).scanMillis())
                .isLessThan(cost(20, ORDERS, Store.S3, 1).scanMillis());
        assertThat(cost(20, ORDERS, Store.S3, 10).lookupMillis())
                .isEqualTo(cost(20, ORDERS, Store.S3, 1).lookupMillis());
    }

    @Test
    void moreKeysNeverCostLess() {
        double before = 0;
        for (int keys = 1; keys <= 1_000; keys++) {
            double lookup = cost(keys, ORDERS, Store.S3, 1).lookupMillis();
            assertThat(lookup).isGreaterThanOrEqualTo(before);
            before = lookup;
        }
    }

    @Test
    void timesOfStoresAreTheMeasuredOnes() {
        assertThat(Store.of(new InMemoryObjectStore())).isEqualTo(Store.LOCAL);
        assertThat(Store.of(new FarStore(Optional.empty()))).isEqualTo(Store.S3);
        RetrievalStatistics measured =
                new RetrievalStatistics(20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 12.5, 7.5, 0);
        assertThat(Store.of(new FarStore(Optional.of(measured)))).isEqualTo(new Store(12.5, 7.5));
    }

    @Test
    void metricsSayWhatWasChosen() {
        assertThat(cost(1, ORDERS, Store.S3, 1).estimate().metrics().getMetrics())
                .containsOnlyKeys(
                        "Keys looked up",
                        "Lookup estimated ms",
                        "Scan estimated ms",
                        "Scan estimated files");
        assertThat(cost(1_000, ORDERS, Store.S3, 1).estimate().metrics().getMetrics())
                .containsKey("Keys scanned for");
    }

    @Test
    void countsAreChecked() {
        assertThatThrownBy(() -> new Files(-1, -1, 0, 0, 0))
                .hasMessageContaining(
                        "found -1 files in -1 splits, 0 rows, 0 bytes and 0 rows in no file");
    }

    /** Of one size each, in splits of 32 MiB. */
    private static Files files(int count, long rows, long bytes, long liveRows) {
        int splits = count == 0 ? 0 : count * (int) Math.ceilDiv(bytes / count, 32L * MIB);
        return new Files(count, splits, rows, bytes, liveRows);
    }

    private static void assertLookup(int keys, Files files, Store store) {
        ReadCost cost = cost(keys, files, store, 1);
        assertThat(cost.isLookup()).as(cost.toString()).isTrue();
    }

    private static void assertScan(int keys, Files files, Store store) {
        ReadCost cost = cost(keys, files, store, 1);
        assertThat(cost.isLookup()).as(cost.toString()).isFalse();
    }

    private static ReadCost cost(int keys, Files files, Store store, int workers) {
        return ReadCost.of(keys, files, store, THREADS, workers);
    }

    /** A store whose requests were measured, or not. */
    private static final class FarStore extends ForwardingObjectStore {
        private final Optional<RetrievalStatistics> measured;

        private FarStore(Optional<RetrievalStatistics> measured) {
            super(new InMemoryObjectStore());
            this.measured = measured;
        }

        @Override
        public boolean isRemote() {
            return true;
        }

        @Override
        public Optional<RetrievalStatistics> retrieval() {
            return measured;
        }
    }
}
