package io.stele.paimon.image;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.paimon.manifest.ManifestEntry;
import org.junit.jupiter.api.Test;

final class TestTableImage {
    private static final ImageFilter ALL = ImageFilter.ALL;

    @Test
    void hasEntriesAsTheyWere() throws Exception {
        List<ManifestEntry> entries = new FabricatedEntries(1, 3, 4).entries(1_000);

        TableImage image = image(entries);

        assertThat(image.find(ALL)).containsExactlyInAnyOrderElementsOf(entries);
        assertThat(image.find(ALL)).isSortedAccordingTo(new EntryOrder(FabricatedEntries.KEYS));
    }

    /** As of tables with many columns, or with indexes in the manifest. */
    @Test
    void hasEntriesOfAnySizeAsTheyWere() throws Exception {
        Random random = new Random(5);
        List<ManifestEntry> entries = new ArrayList<>();
        for (ManifestEntry entry : new FabricatedEntries(1, 3, 4).entries(300)) {
            byte[] index = new byte[random.nextInt(4_000)];
            random.nextBytes(index);
            entries.add(
                    ManifestEntry.create(
                            entry.kind(),
                            entry.partition(),
                            entry.bucket(),
                            entry.totalBuckets(),
                            requireNonNull(entry.file()).copy(index)));
        }

        assertThat(image(entries).find(ALL)).containsExactlyInAnyOrderElementsOf(entries);
    }

    @Test
    void isEmptyWithoutFiles() throws Exception {
        TableImage image = image(List.of());

        assertThat(image.find(ALL)).isEmpty();
        assertThat(image.partitions()).isEmpty();
        assertThat(image.total()).isEqualTo(SliceSums.NONE);
    }

    @Test
    void findsTheFilesOfABucket() throws Exception {
        List<ManifestEntry> entries = new FabricatedEntries(2, 5, 7).entries(2_000);
        TableImage image = image(entries);

        for (int partition = 0; partition < 6; partition++) {
            for (int bucket = -1; bucket < 8; bucket++) {
                ImageFilter filter = ImageFilter.of(FabricatedEntries.partition(partition), bucket);
                List<ManifestEntry> expected = new ArrayList<>();
                for (ManifestEntry entry : entries) {
                    if (entry.bucket() == bucket
                            && entry.partition().equals(FabricatedEntries.partition(partition))) {
                        expected.add(entry);
                    }
                }
                assertThat(image.find(filter)).containsExactlyInAnyOrderElementsOf(expected);
                assertThat(image.sums(filter)).isEqualTo(sums(expected));
            }
        }
    }

    @Test
    void sumsUpPartitions() throws Exception {
        List<ManifestEntry> entries = new FabricatedEntries(3, 5, 7).entries(500);
        TableImage image = image(entries);

        assertThat(image.total()).isEqualTo(sums(entries));
        assertThat(image.partitions())
                .hasSize(5)
                .allSatisfy(
                        of ->
                                assertThat(of.sums())
                                        .isEqualTo(
                                                sums(
                                                        entries.stream()
                                                                .filter(
                                                                        entry ->
                                                                                entry.partition()
                                                                                        .equals(
                                                                                                of
                                                                                                        .partition()))
                                                                .toList())));
    }

    /** The image advanced by random deltas against one built from what the deltas leave. */
    @Test
    void advancesAsIfBuilt() throws Exception {
        long seed = Long.getLong("simulation.seed", 4);
        Random random = new Random(seed);
        FabricatedEntries fabricated = new FabricatedEntries(seed, 4, 3);
        List<ManifestEntry> present = new ArrayList<>();
        TableImage image = image(present);
        int number = 0;
        for (int round = 1; round < 60; round++) {
            List<ManifestEntry> deltas = new ArrayList<>();
            // Grows to some thousands of entries, then shrinks to none.
            int adds = round < 40 ? random.nextInt(round % 7 == 0 ? 600 : 30) : 0;
            int deletes = random.nextInt(round < 40 ? 20 : 600);
            for (int i = 0; i < adds; i++) {
                ManifestEntry added = fabricated.entry(number++);
                deltas.add(added);
                if (random.nextInt(10) == 0) {
                    deltas.add(FabricatedEntries.delete(added));
                } else {
                    present.add(added);
                }
            }
            for (int i = 0; i < deletes && !present.isEmpty(); i++) {
                ManifestEntry deleted = present.remove(random.nextInt(present.size()));
                if (deltas.contains(deleted) && random.nextBoolean()) {
                    deltas.remove(deleted);
                } else {
                    deltas.add(FabricatedEntries.delete(deleted));
                }
            }
            image = advance(image, round, deltas);
            TableImage built = image(present);
            assertThat(image.find(ALL))
                    .as("seed %s round %s", seed, round)
                    .containsExactlyElementsOf(built.find(ALL));
            assertThat(image.partitions()).isEqualTo(built.partitions());
            assertThat(image.total()).isEqualTo(sums(present));
            // Deletes leave no crowd of small blocks.
            assertThat(image.blocks()).hasSizeLessThanOrEqualTo(4 + 2 * built.blocks().size());
            assertThat(image.blocks())
                    .allSatisfy(block -> assertThat(block.count()).isLessThan(128));
        }
    }

    @Test
    void sharesUntouchedBlocks() throws Exception {
        FabricatedEntries fabricated = new FabricatedEntries(5, 10, 10);
        TableImage image = image(fabricated.entries(10_000));

        TableImage next = advance(image, 1, List.of(fabricated.entry(7)));

        assertThat(next.blocks().stream().filter(block -> !image.blocks().contains(block)))
                .hasSize(1);
        assertThat(next.total().fileCount()).isEqualTo(10_001);
    }

    @Test
    void refusesDeltasThatDoNotApply() throws Exception {
        FabricatedEntries fabricated = new FabricatedEntries(6, 2, 2);
        List<ManifestEntry> entries = fabricated.entries(300);
        TableImage image = image(entries);
        ManifestEntry absent = fabricated.entry(5);

        assertThatThrownBy(() -> advance(image, 1, List.of(FabricatedEntries.delete(absent))))
                .isInstanceOf(DeltaNotApplicableException.class);
        assertThatThrownBy(() -> advance(image, 1, List.of(entries.get(17))))
                .isInstanceOf(DeltaNotApplicableException.class);
        assertThatThrownBy(() -> advance(image, 1, List.of(absent, absent)))
                .isInstanceOf(DeltaNotApplicableException.class);
        assertThatThrownBy(
                        () ->
                                advance(
                                        image(List.of()),
                                        1,
                                        List.of(FabricatedEntries.delete(absent))))
                .isInstanceOf(DeltaNotApplicableException.class);
    }

    /** The limits of the paper: at most 150 bytes an entry, at most 0.3 ms for one bucket. */
    @Test
    void isSmallAndFast() throws Exception {
        int count = 100_000;
        List<ManifestEntry> entries = new FabricatedEntries(7, 100, 20).entries(count);
        long built = cpuNanos();
        TableImage image = image(entries);
        built = cpuNanos() - built;

        long found = 0;
        for (int i = 0; i < 2_000; i++) {
            found += image.find(bucketOf(i)).size();
        }
        int searches = 2_000;
        long cpu = cpuNanos();
        for (int i = 0; i < searches; i++) {
            found += image.find(bucketOf(i)).size();
        }
        cpu = (cpuNanos() - cpu) / searches;
        FabricatedEntries more = new FabricatedEntries(8, 100, 20);
        List<ManifestEntry> delta = more.entries(20);
        long advance = cpuNanos();
        TableImage next = advance(image, 1, delta);
        advance = cpuNanos() - advance;

        System.out.printf(
                "image of %,d entries: %.1f B an entry, %,d blocks; built in %.0f ms CPU;"
                        + " one bucket of 50 files in %.3f ms CPU; advanced by 20 in %.2f ms CPU%n",
                count,
                (double) image.retainedBytes() / count,
                image.blocks().size(),
                built / 1e6,
                cpu / 1e6,
                advance / 1e6);
        assertThat(found).isEqualTo(4_000L * 50);
        assertThat(next.total().fileCount()).isEqualTo(count + 20);
        assertThat(image.retainedBytes()).isLessThanOrEqualTo(150L * count);
        // Generous: without the optimizing compiler, beside other tests.
        assertThat(cpu).isLessThan(15_000_000);
    }

    private static ImageFilter bucketOf(int i) {
        return ImageFilter.of(FabricatedEntries.partition(i % 100), i / 100 % 20);
    }

    private static long cpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private static TableImage image(List<ManifestEntry> entries) throws Exception {
        return FabricatedEntries.builder().build(FabricatedEntries.snapshot(1), entries);
    }

    private static TableImage advance(TableImage image, long id, List<ManifestEntry> deltas)
            throws Exception {
        return FabricatedEntries.builder()
                .advance(image, FabricatedEntries.snapshot(id), deltas, null);
    }

    private static SliceSums sums(List<ManifestEntry> entries) {
        SliceSums sums = SliceSums.NONE;
        for (ManifestEntry entry : entries) {
            sums = sums.plus(entry.file());
        }
        return sums;
    }
}
