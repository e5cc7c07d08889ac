package io.stele.engine.compaction.policy;

import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.compaction.policy.ColumnCompactionPolicy.Candidate;
import io.stele.engine.compaction.policy.ColumnCompactionPolicy.Pick;
import io.stele.engine.compaction.policy.ColumnCompactionPolicy.Range;
import io.stele.engine.datafile.Descriptors;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.manifest.FileKind;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TestColumnCompactionPolicy {
    private static final long FULL = 1 << 20;

    private final ColumnCompactionPolicy policy =
            new ColumnCompactionPolicy(FULL, new HistoryFilePolicy(8));
    private final List<Candidate> files = new ArrayList<>();

    @Test
    void aFileWithManyDeletedRowsIsRewrittenAlone() {
        FileEntry file = entry("a", 0, 1000); // of 100 rows
        assertThat(policy.pick(List.of(candidate(file, 20, 20)))).isEmpty();
        assertThat(ids(policy.pick(List.of(candidate(file, 21, 21))))).containsExactly("a");
    }

    @Test
    void rowsThatReadersOfThePastNeedArePutApart() {
        FileEntry file = entry("a", 0, 1000);
        assertThat(policy.pick(List.of(candidate(file, 0, 33)))).isEmpty();
        assertThat(ids(policy.pick(List.of(candidate(file, 0, 34))))).containsExactly("a");
        assertThat(policy.pick(List.of(candidate(file, 28, 35)))).as("deleted for all").isPresent();
        assertThat(policy.pick(List.of(candidate(entry("b", 0, 120), 0, 7))))
                .as("a history of 7 rows is not worth a file")
                .isEmpty();
    }

    @Test
    void historyIsLeftUntilHalfOfItIsForgotten() {
        FileEntry file = entry("a", 0, 1000);
        assertThat(policy.pick(List.of(candidate(file, 50, 100)))).isEmpty();
        assertThat(policy.pickAll(List.of(candidate(file, 0, 100)))).isEmpty();
        assertThat(ids(policy.pick(List.of(candidate(file, 51, 100))))).containsExactly("a");
    }

    @Test
    void historyIsNotMergedWithWhatIsRead() {
        for (int i = 0; i < 3; i++) {
            files.add(candidate(entry("live" + i, 0, 1000), 0, 0));
            files.add(candidate(entry("history" + i, 0, 1000), 0, 100));
        }
        assertThat(policy.pick(files)).isEmpty();
        files.add(candidate(entry("history3", 0, 1000), 0, 100));
        assertThat(ids(policy.pick(files)))
                .containsExactly("history0", "history1", "history2", "history3");
    }

    @Test
    void filesOfSimilarSizeAreMergedAndFullOnesAreLeft() {
        for (int i = 0; i < 3; i++) {
            files.add(candidate(entry("small" + i, 0, 1100 + i), 0, 0));
        }
        files.add(candidate(entry("middle", 0, 100_000), 0, 0));
        for (int i = 0; i < 5; i++) {
            files.add(candidate(entry("full" + i, 0, 2 * FULL), 0, 0));
        }
        assertThat(policy.pick(files)).isEmpty();
        files.add(candidate(entry("small3", 0, 1200), 0, 0));
        assertThat(ids(policy.pick(files))).containsExactly("small0", "small1", "small2", "small3");
        assertThat(policy.pendingBytes(files)).isEqualTo(1100 + 1101 + 1102 + 1200);
    }

    @Test
    void filesThatAMergeEndedAsFullAreLeftHoweverSmall() {
        for (int i = 0; i < ColumnCompactionPolicy.TIER_FILES; i++) {
            files.add(candidate(entry("a" + i, ColumnCompactionPolicy.FULL_LEVEL, 1100), 0, 0));
        }
        assertThat(policy.pick(files)).isEmpty();
        assertThat(policy.pickAll(files)).isEmpty();
        files.add(candidate(entry("deleted", ColumnCompactionPolicy.FULL_LEVEL, 1100), 50, 50));
        assertThat(ids(policy.pick(files))).containsExactly("deleted");
    }

    @Test
    void fullFilesThatOverlapAreSortedAnew() {
        for (int i = 0; i < 7; i++) {
            files.add(full("wide" + i, 2, 0, 100 + i));
        }
        files.add(full("beside", 2, 200, 300));
        assertThat(policy.pick(files)).isEmpty();
        files.add(full("narrow", 0, 50, 60));
        Pick pick = policy.pick(files).orElseThrow();
        assertThat(ids(Optional.of(pick)))
                .containsExactlyInAnyOrder(
                        "wide0", "wide1", "wide2", "wide3", "wide4", "wide5", "wide6", "narrow");
        assertThat(pick.level()).isEqualTo(3);
    }

    @Test
    void whatWasSortedAnewIsNotMixedWithTheRest() {
        for (int i = 0; i < 7; i++) {
            files.add(full("new" + i, 2, 0, 100));
            files.add(full("sorted" + i, 3, 0, 100));
            files.add(full("last" + i, ColumnCompactionPolicy.LAST_LEVEL, 0, 100));
            files.add(full("more" + i, ColumnCompactionPolicy.LAST_LEVEL, 0, 100));
        }
        assertThat(policy.pick(files)).isEmpty();
    }

    /** Flushes of one size: a byte is rewritten once for every factor of four up to a full file. */
    @Test
    void writesAreBounded() {
        long flushed = 0;
        long merged = 0;
        int next = 0;
        for (int flush = 0; flush < 4096; flush++) {
            files.add(full("f" + next++, 0, 0, 1, 4096));
            flushed += 4096;
            for (Pick pick; (pick = policy.pick(files).orElse(null)) != null; ) {
                long bytes = pick.files().stream().mapToLong(f -> f.entry().sizeBytes()).sum();
                merged += bytes;
                files.removeAll(pick.files());
                if (pick.level() > 1) {
                    for (int i = 0; i < pick.files().size(); i++) {
                        files.add(full("f" + next++, pick.level(), i, i, FULL));
                    }
                } else {
                    files.add(full("f" + next++, 1, 0, 1, bytes));
                }
            }
        }
        // log4(256) = 4 compactions to a full file, and one more to sort eight of them anew.
        assertThat((double) (flushed + merged) / flushed).isBetween(5.0, 6.5);
        assertThat(files).hasSizeLessThan(64);
    }

    /** Partitions of four small files each: 64 of them a compaction, and then no more. */
    @Test
    void smallMergesOfManyPartitionsAreOne() {
        int partitions = 2_000;
        for (int i = 0; i < 4 * partitions; i++) {
            files.add(candidate(ofPartition("f" + i, i % partitions, 5_000), 0, 0));
        }
        int picks = 0;
        for (Pick pick; (pick = policy.pick(files).orElse(null)) != null; picks++) {
            assertThat(pick.files()).hasSizeLessThanOrEqualTo(256);
            Map<Integer, List<Candidate>> merged =
                    pick.files().stream()
                            .collect(groupingBy(TestColumnCompactionPolicy::partition));
            assertThat(merged.values()).allMatch(inputs -> inputs.size() == 4);
            Set<Candidate> gone = Collections.newSetFromMap(new IdentityHashMap<>());
            gone.addAll(pick.files());
            files.removeIf(gone::contains);
            merged.forEach(
                    (partition, _) ->
                            files.add(
                                    candidate(
                                            ofPartition("m" + partition, partition, 20_000),
                                            0,
                                            0)));
        }
        assertThat(picks).isBetween(partitions / 64, partitions / 60);
        assertThat(files).hasSize(partitions);
        assertThat(policy.pickAll(files)).isEmpty();
    }

    @Test
    void largeMergesAndHistoryAreNotPickedWithOthers() {
        for (int i = 0; i < 8; i++) {
            files.add(candidate(ofPartition("large" + i, i / 4, FULL - 1), 0, 0));
        }
        // Four megabytes are the limit
        assertThat(ids(policy.pick(files)))
                .containsExactlyInAnyOrder("large0", "large1", "large2", "large3");
        files.clear();
        for (int i = 0; i < 8; i++) {
            files.add(candidate(ofPartition("a" + i, i / 4, 1_000), 0, i < 4 ? 0 : 100));
        }
        assertThat(ids(policy.pick(files))).containsExactlyInAnyOrder("a0", "a1", "a2", "a3");
        assertThat(ids(policy.pickAll(files))).containsExactlyInAnyOrder("a0", "a1", "a2", "a3");
    }

    private static int partition(Candidate file) {
        return ByteBuffer.wrap(file.entry().partition().orElseThrow()).getInt();
    }

    private static FileEntry ofPartition(String id, int partition, long sizeBytes) {
        FileEntry entry = entry(id, 0, sizeBytes);
        return new FileEntry(
                id,
                entry.tableId(),
                entry.kind(),
                entry.level(),
                entry.path(),
                sizeBytes,
                entry.rowCount(),
                entry.minLsn(),
                entry.maxLsn(),
                entry.ingestLsn(),
                entry.firstRowId(),
                entry.schemaVersion(),
                entry.minKey(),
                entry.maxKey(),
                Optional.of(Descriptors.key(partition)),
                entry.columnStats(),
                entry.keyIndex(),
                entry.deletionVector());
    }

    private static Candidate full(String id, int level, int min, int max) {
        return full(id, level, min, max, FULL);
    }

    private static Candidate full(String id, int level, int min, int max, long sizeBytes) {
        Range range = new Range(Descriptors.key(min), Descriptors.key(max));
        return new Candidate(entry(id, level, sizeBytes), 0, 0, _ -> Optional.of(range));
    }

    private static Candidate candidate(FileEntry entry, long deleted, long ended) {
        return new Candidate(entry, deleted, ended, _ -> Optional.empty());
    }

    private static FileEntry entry(String id, int level, long sizeBytes) {
        return Descriptors.file(FileKind.COLUMN, id, level, 0, 10, sizeBytes);
    }

    private static List<String> ids(Optional<Pick> pick) {
        return pick.orElseThrow().files().stream().map(file -> file.entry().fileId()).toList();
    }
}
