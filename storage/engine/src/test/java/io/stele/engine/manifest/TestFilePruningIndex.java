package io.stele.engine.manifest;

import static io.stele.engine.manifest.ManifestFiles.bounded;
import static io.stele.engine.manifest.ManifestFiles.file;
import static io.stele.engine.manifest.ManifestFiles.predicate;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.protocol.predicate.ColumnDomain;
import io.stele.protocol.predicate.ColumnStats;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.predicate.ValueRange;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

final class TestFilePruningIndex {
    private static final int SCHEMA_VERSION = 1; // of all entries of ManifestFiles

    private static List<FileEntry> files(SplittableRandom random, int count) {
        List<FileEntry> files = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            files.add(bounded(file(random, "f" + i), random));
        }
        return List.copyOf(files);
    }

    private static FilePruningIndex<FileEntry> slices(List<FileEntry> files) {
        return FilePruningIndex.of(files, Function.identity());
    }

    private static boolean matches(
            FileEntry file, PartitionFilter partitions, ScanPredicate predicate) {
        return file.partition().map(partitions::matches).orElse(true)
                && predicate.mayMatch(file.columnStats(), file.rowCount());
    }

    /** What is found has all that a walk over the list finds, and is of the list. */
    private static int assertFound(
            FilePruningIndex<FileEntry> slices,
            List<FileEntry> files,
            PartitionFilter partitions,
            ScanPredicate predicate) {
        List<FileEntry> found = slices.select(partitions, predicate, SCHEMA_VERSION);
        assertThat(identities(files)).containsAll(identities(found));
        assertThat(identities(found)).hasSameSizeAs(found);
        assertThat(
                        identities(
                                found.stream()
                                        .filter(file -> matches(file, partitions, predicate))
                                        .toList()))
                .isEqualTo(
                        identities(
                                files.stream()
                                        .filter(file -> matches(file, partitions, predicate))
                                        .toList()));
        return found.size();
    }

    private static Set<FileEntry> identities(List<FileEntry> files) {
        Set<FileEntry> identities = Collections.newSetFromMap(new IdentityHashMap<>());
        identities.addAll(files);
        return identities;
    }

    @Test
    void whatAWalkFindsIsFoundWhateverChanges() {
        for (int seed = 0; seed < 8; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            List<FileEntry> files = files(random, random.nextInt(1, 2_000));
            FilePruningIndex<FileEntry> slices = slices(files);
            int next = files.size();
            int advanced = 0;
            for (int version = 0; version < 60; version++) {
                for (int i = 0; i < 4; i++) {
                    int wanted = random.nextInt(4);
                    PartitionFilter partitions =
                            wanted == 0 ? _ -> true : values -> (values[0] & 3) == wanted;
                    assertFound(slices, files, partitions, predicate(random));
                }
                List<FileEntry> changed = new ArrayList<>(files);
                int changes = random.nextInt(10) == 0 ? 100 : random.nextInt(4);
                for (int i = 0; i < changes && !changed.isEmpty(); i++) {
                    int at = random.nextInt(changed.size());
                    switch (random.nextInt(3)) {
                        case 0 -> changed.remove(at);
                        case 1 -> changed.set(at, changed.get(at).withLevel(5));
                        default -> changed.add(bounded(file(random, "f" + next++), random));
                    }
                }
                files = Collections.unmodifiableList(changed);
                assertThat(slices.isOf(files)).isFalse();
                slices = slices.advanced(files);
                assertThat(slices.isOf(files)).isTrue();
                advanced += slices.changes() > 0 ? 1 : 0;
            }
            assertThat(advanced).as("versions made of the one before").isGreaterThan(20);
        }
    }

    /** By ranges, of which some have no partition, beside the test of each. */
    @Test
    void rangesOfPartitionsAreFound() {
        for (int seed = 0; seed < 8; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            List<FileEntry> files = files(random, 2_000);
            TreeSet<byte[]> partitions = new TreeSet<>(Arrays::compareUnsigned);
            files.forEach(file -> file.partition().ifPresent(partitions::add));
            FilePruningIndex<FileEntry> slices = slices(files);
            for (int round = 0; round < 50; round++) {
                List<PartitionFilter.Range> ranges = new ArrayList<>();
                byte[] at = {};
                for (byte[] partition : partitions) {
                    if (random.nextInt(4) == 0) {
                        ranges.add(new PartitionFilter.Range(at, Optional.of(partition)));
                    }
                    at = partition;
                }
                if (random.nextBoolean()) {
                    ranges.add(new PartitionFilter.Range(at, Optional.empty()));
                }
                PartitionFilter filter =
                        new PartitionFilter() {
                            @Override
                            public boolean matches(byte[] partition) {
                                return ranges.stream().anyMatch(range -> isIn(partition, range));
                            }

                            @Override
                            public List<Range> ranges() {
                                return ranges;
                            }
                        };
                assertFound(slices, files, filter, ScanPredicate.ALL);
            }
        }
    }

    private static boolean isIn(byte[] partition, PartitionFilter.Range range) {
        return Arrays.compareUnsigned(partition, range.lower()) >= 0
                && range.upper()
                        .map(upper -> Arrays.compareUnsigned(partition, upper) < 0)
                        .orElse(true);
    }

    @Test
    void partitionsAndBoundsLeaveOutMost() {
        SplittableRandom random = new SplittableRandom(3);
        List<FileEntry> files = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            byte[] low = {(byte) (i % 100), 0};
            byte[] high = {(byte) (i % 100), 9};
            files.add(
                    file(random, "f" + i)
                            .withColumnStats(
                                    Map.of(
                                            7,
                                            new ColumnStats(
                                                    Optional.of(low),
                                                    Optional.of(high),
                                                    0,
                                                    false))));
        }
        FilePruningIndex<FileEntry> slices = slices(List.copyOf(files));
        ScanPredicate in =
                new ScanPredicate(
                        Map.of(
                                7,
                                new ColumnDomain(
                                        false,
                                        List.of(range(3), range(50), range(51), range(99)))));
        assertThat(assertFound(slices, files, _ -> true, in)).isEqualTo(40);
        // Nulls may be in any file, and bounds of another version may be of another type
        ScanPredicate orNull =
                new ScanPredicate(Map.of(7, new ColumnDomain(true, List.of(range(3)))));
        assertThat(slices.select(_ -> true, orNull, SCHEMA_VERSION)).hasSize(1_000);
        assertThat(slices.select(_ -> true, in, SCHEMA_VERSION + 1)).hasSize(1_000);
        long unknown = files.stream().filter(file -> file.partition().isEmpty()).count();
        assertThat(slices.select(_ -> false, ScanPredicate.ALL, SCHEMA_VERSION))
                .hasSize((int) unknown);
    }

    private static ValueRange range(int first) {
        return new ValueRange(
                Optional.of(new byte[] {(byte) first, 2}),
                true,
                Optional.of(new byte[] {(byte) first, 3}),
                true);
    }

    /** More than eight bytes that are the same: nothing is left out that may match. */
    @Test
    void longValuesAreToldApartByTheirBeginnings() {
        byte[] low = "prefix-of-values-a".getBytes(US_ASCII);
        byte[] high = "prefix-of-values-c".getBytes(US_ASCII);
        FileEntry entry =
                file(new SplittableRandom(1), "f")
                        .withColumnStats(
                                Map.of(
                                        1,
                                        new ColumnStats(
                                                Optional.of(low), Optional.of(high), 0, false)));
        FilePruningIndex<FileEntry> slices = slices(List.of(entry));
        for (String value :
                List.of("prefix-of-values-b", "prefix-of-values-c", "prefix-", "prefix-p", "q")) {
            byte[] bytes = value.getBytes(US_ASCII);
            ScanPredicate equal =
                    new ScanPredicate(
                            Map.of(
                                    1,
                                    ColumnDomain.of(
                                            new ValueRange(
                                                    Optional.of(bytes),
                                                    true,
                                                    Optional.of(bytes),
                                                    true))));
            assertFound(slices, List.of(entry), _ -> true, equal);
        }
    }

    @Test
    void anEntryTakesAtMost150Bytes() {
        List<FileEntry> files = files(new SplittableRandom(2), 5_000);
        assertThat(slices(files).retainedBytes()).isLessThan(150 * 5_000);
    }
}
