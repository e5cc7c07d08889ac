package io.stele.engine.compaction.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.compaction.policy.RowCompactionPolicy.Candidate;
import io.stele.engine.compaction.policy.RowCompactionPolicy.Pick;
import io.stele.engine.datafile.Descriptors;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.manifest.FileKind;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class TestRowCompactionPolicy {
    private static final long LEVEL1 = 8_000;
    private static final long FILE = 1_000;

    private final RowCompactionPolicy policy = new RowCompactionPolicy(LEVEL1, FILE);
    private final List<Candidate> files = new ArrayList<>();

    @Test
    void fourFlushesAreMergedWithWhatTheyOverlap() {
        add("a", 0, 10, 20, 1000);
        add("b", 0, 15, 30, 1000);
        add("c", 0, 12, 13, 1000);
        add("below", 1, 0, 9, 1000);
        add("overlapping", 1, 10, 25, 1000);
        add("touching", 1, 30, 40, 1000);
        add("above", 1, 41, 50, 1000);
        assertThat(policy.pick(files, 0)).isEmpty();

        add("d", 0, 11, 12, 1000);
        Pick pick = policy.pick(files, 0).orElseThrow();
        assertThat(ids(pick.inputs()))
                .containsExactlyInAnyOrder("a", "b", "c", "d", "overlapping", "touching");
        assertThat(pick.outputLevel()).isEqualTo(1);
        assertThat(pick.isMove()).isFalse();
    }

    @Test
    void theFullestLevelIsWorkedOnAndTheCheapestFileOfIt() {
        for (int i = 0; i < 4; i++) {
            add("flush" + i, 0, 0, 900, 1000); // full, by a hair
        }
        for (int i = 0; i < 12; i++) {
            add("one" + i, 1, 100 * i, 100 * i + 50, 1000); // half as much again
        }
        for (int i = 0; i < 12; i++) {
            add("two" + i, 2, 100 * i, 100 * i + 60, i == 7 ? 500 : 4000);
        }
        Pick pick = policy.pick(files, 0).orElseThrow();
        assertThat(ids(pick.inputs())).containsExactly("one7", "two7");
        assertThat(pick.outputLevel()).isEqualTo(2);
    }

    @Test
    void whatOverlapsNothingMoves() {
        for (int i = 0; i < 4; i++) {
            add("flush" + i, 0, 10 * i, 10 * i + 9, 1000);
        }
        add("one", 1, 40, 50, 1000);
        Pick pick = policy.pick(files, 0).orElseThrow();
        assertThat(pick.isMove()).isTrue();
        assertThat(ids(pick.inputs())).containsExactly("flush0", "flush1", "flush2", "flush3");
    }

    @Test
    void smallFilesAreMergedWithTheirNeighbourInsteadOfMoved() {
        for (int i = 0; i < 4; i++) {
            add("flush" + i, 0, 100 + 10 * i, 109 + 10 * i, 50);
        }
        add("far", 1, 0, 10, 300);
        add("near", 1, 20, 30, 300);
        add("large", 1, 200, 210, 600);
        Pick pick = policy.pick(files, 0).orElseThrow();
        assertThat(pick.isMove()).isFalse();
        assertThat(ids(pick.inputs()))
                .containsExactlyInAnyOrder("flush0", "flush1", "flush2", "flush3", "near");
    }

    @Test
    void theLevelsBelowThatOverlapAreNamedForTombstones() {
        for (int i = 0; i < 4; i++) {
            add("flush" + i, 0, 10, 20, 1000);
        }
        add("two", 2, 15, 30, 1000);
        add("other", 2, 31, 40, 1000);
        add("three", 3, 0, 10, 1000);
        assertThat(ids(policy.pick(files, 0).orElseThrow().deeper()))
                .containsExactly("two", "three");
    }

    @Test
    void staleVersionsGoWhenNobodyCanReadThem() {
        files.add(new Candidate(entry("a", 1, 0, 10, 1000), 26)); // of 100 rows
        assertThat(policy.pick(files, 99)).as("history is needed").isEmpty();
        Pick pick = policy.pick(files, 100).orElseThrow();
        assertThat(ids(pick.inputs())).containsExactly("a");
        assertThat(pick.outputLevel()).isEqualTo(1);
        files.set(0, new Candidate(entry("a", 1, 0, 10, 1000), 25));
        assertThat(policy.pick(files, 100)).as("too few").isEmpty();
        assertThat(policy.pickAll(files, 100)).as("but asked for").isPresent();
    }

    @Test
    void allIsOneLevelWhenAsked() {
        add("flush", 0, 0, 10, 100);
        add("one", 1, 0, 100, 1000);
        add("three", 3, 0, 100, 1000);
        List<List<String>> steps = new ArrayList<>();
        for (Pick pick; (pick = policy.pickAll(files, 0).orElse(null)) != null; ) {
            List<String> inputs = ids(pick.inputs());
            steps.add(inputs);
            files.removeIf(file -> inputs.contains(file.entry().fileId()));
            add("merged" + steps.size(), pick.outputLevel(), 0, 100, 1000);
        }
        assertThat(steps).containsExactly(List.of("flush", "one"), List.of("merged1", "three"));
        assertThat(files).singleElement().matches(file -> file.entry().level() == 3);
    }

    /** Uniform updates, the worst case for levels: a byte goes down level by level. */
    @Test
    void writesAndSpaceAreBounded() {
        Simulation simulation = new Simulation(policy, 40_000, 5);
        simulation.run(400);
        // Once to level 0, twice to level 1 (4 flushes meet 4), about 6 times to level 2 and 3
        // each.
        assertThat(simulation.writeAmplification()).isBetween(4.0, 14.0);
        assertThat(simulation.spaceAmplification()).isLessThan(1.6);
        assertThat(simulation.largestMerge()).isLessThan(simulation.bytes() / 2);
        assertThat(simulation.deepest()).isEqualTo(3);
        assertThat(policy.pendingBytes(simulation.candidates())).isZero();
    }

    @Test
    void risingKeysAreMovedNotRewritten() {
        Simulation simulation = new Simulation(policy, Integer.MAX_VALUE, 5);
        simulation.run(600);
        assertThat(simulation.writeAmplification()).isLessThan(1.1);
        assertThat(simulation.spaceAmplification()).isEqualTo(1);
    }

    private void add(String id, int level, int min, int max, long sizeBytes) {
        files.add(new Candidate(entry(id, level, min, max, sizeBytes), 0));
    }

    private static FileEntry entry(String id, int level, int min, int max, long sizeBytes) {
        return Descriptors.file(FileKind.ROW, id, level, min, max, sizeBytes);
    }

    private static List<String> ids(List<FileEntry> entries) {
        return entries.stream().map(FileEntry::fileId).toList();
    }

    /** Files as sets of keys, ten bytes each; compactions as the policy says. */
    private static final class Simulation {
        private static final int FLUSH_KEYS = 200; // 2,000 bytes: level 1 holds four

        private final RowCompactionPolicy policy;
        private final int keys;
        private final SplittableRandom random;
        private final Map<String, TreeSet<Integer>> contents = new TreeMap<>();
        private final List<Candidate> files = new ArrayList<>();
        private int nextKey;
        private int nextId;
        private long flushed;
        private long merged;
        private long largestMerge;

        Simulation(RowCompactionPolicy policy, int keys, long seed) {
            this.policy = policy;
            this.keys = keys;
            this.random = new SplittableRandom(seed);
        }

        void run(int flushes) {
            for (int i = 0; i < flushes; i++) {
                TreeSet<Integer> flush = new TreeSet<>();
                while (flush.size() < FLUSH_KEYS) {
                    flush.add(keys == Integer.MAX_VALUE ? nextKey++ : random.nextInt(keys));
                }
                flushed += 10L * flush.size();
                add(flush, 0);
                boolean behind = policy.pendingBytes(files) > 0;
                assertThat(policy.pick(files, 0).isPresent()).isEqualTo(behind);
                for (Pick pick; (pick = policy.pick(files, 0).orElse(null)) != null; ) {
                    merge(pick);
                }
            }
        }

        private void merge(Pick pick) {
            Set<String> inputs = new HashSet<>(ids(pick.inputs()));
            TreeSet<Integer> all = new TreeSet<>();
            for (FileEntry input : pick.inputs()) {
                TreeSet<Integer> content = contents.remove(input.fileId());
                if (pick.isMove()) {
                    files.removeIf(file -> file.entry().fileId().equals(input.fileId()));
                    add(content, pick.outputLevel());
                }
                all.addAll(content);
            }
            if (pick.isMove()) {
                return;
            }
            files.removeIf(file -> inputs.contains(file.entry().fileId()));
            TreeSet<Integer> output = new TreeSet<>();
            for (int key : all) {
                output.add(key);
                if (10L * output.size() >= policy.fileBytes()) {
                    add(output, pick.outputLevel());
                    output = new TreeSet<>();
                }
            }
            if (!output.isEmpty()) {
                add(output, pick.outputLevel());
            }
            merged += 10L * all.size();
            largestMerge = Math.max(largestMerge, 10L * all.size());
        }

        private void add(TreeSet<Integer> content, int level) {
            String id = "f" + nextId++;
            contents.put(id, content);
            FileEntry entry =
                    entry(id, level, content.first(), content.last(), 10L * content.size());
            files.add(new Candidate(entry, 0));
            if (level > 0) {
                long overlapping =
                        files.stream()
                                .filter(file -> file.entry().level() == level)
                                .filter(
                                        file ->
                                                contents.get(file.entry().fileId()).first()
                                                        <= content.last())
                                .filter(
                                        file ->
                                                contents.get(file.entry().fileId()).last()
                                                        >= content.first())
                                .count();
                assertThat(overlapping).as("a level is one sorted run").isEqualTo(1);
            }
        }

        List<Candidate> candidates() {
            return files;
        }

        double writeAmplification() {
            return (double) (flushed + merged) / flushed;
        }

        long bytes() {
            return contents.values().stream().mapToLong(content -> 10L * content.size()).sum();
        }

        double spaceAmplification() {
            Set<Integer> distinct = new HashSet<>();
            contents.values().forEach(distinct::addAll);
            return (double) bytes() / (10L * distinct.size());
        }

        long largestMerge() {
            return largestMerge;
        }

        int deepest() {
            return files.stream().mapToInt(file -> file.entry().level()).max().orElseThrow();
        }
    }
}
