package io.stele.storage.tablet;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.protocol.Lsn;
import io.stele.protocol.TableId;
import io.stele.storage.manifest.FileEntry;
import io.stele.storage.manifest.FileKind;
import io.stele.storage.tablet.CompactionPolicy.Candidate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class TestCompactionPolicy {
    private final CompactionPolicy policy = new CompactionPolicy(1 << 20);

    @Test
    void fourFlushesAreMergedWithWhatTheyOverlap() {
        List<FileEntry> files =
                new ArrayList<>(
                        List.of(
                                file("a", 0, 10, 20, 100),
                                file("b", 0, 15, 30, 100),
                                file("c", 0, 12, 13, 100)));
        files.add(file("below", 1, 0, 9, 1000));
        files.add(file("overlapping", 1, 10, 25, 1000));
        files.add(file("touching", 1, 30, 40, 1000));
        files.add(file("above", 1, 41, 50, 1000));
        assertThat(policy.pickRows(files)).isEmpty();

        files.add(file("d", 0, 11, 12, 100));
        assertThat(policy.pickRows(files).orElseThrow())
                .extracting(FileEntry::fileId)
                .containsExactly("a", "b", "c", "d", "overlapping", "touching");
    }

    @Test
    void oneFlushIsMergedWhenAsked() {
        List<FileEntry> files = List.of(file("a", 0, 10, 20, 100), file("b", 1, 30, 40, 100));
        assertThat(policy.pickRows(files)).isEmpty();
        assertThat(policy.pickAllRows(files).orElseThrow())
                .extracting(FileEntry::fileId)
                .containsExactly("a");
        assertThat(policy.pickAllRows(files.subList(1, 2))).isEmpty();
    }

    @Test
    void aFileWithManyDeletedRowsIsRewrittenAlone() {
        FileEntry file = file("a", 0, 0, 10, 1000);
        assertThat(policy.pickColumns(List.of(new Candidate(file, 20)))).isEmpty();
        assertThat(policy.pickColumns(List.of(new Candidate(file, 21)))).isPresent();
    }

    @Test
    void filesOfSimilarSizeAreMergedAndFullOnesAreLeft() {
        List<Candidate> files = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            files.add(new Candidate(file("small" + i, 0, 0, 10, 1100 + i), 0));
        }
        files.add(new Candidate(file("middle", 0, 0, 10, 100_000), 0));
        for (int i = 0; i < 5; i++) {
            files.add(new Candidate(file("full" + i, 0, 0, 10, 2 << 20), 0));
        }
        assertThat(policy.pickColumns(files)).isEmpty();
        files.add(new Candidate(file("small3", 0, 0, 10, 1200), 0));
        assertThat(policy.pickColumns(files).orElseThrow())
                .extracting(candidate -> candidate.entry().fileId())
                .containsExactly("small0", "small1", "small2", "small3");
    }

    @Test
    void filesThatAMergeEndedAsFullAreLeftHoweverSmall() {
        List<Candidate> files = new ArrayList<>();
        for (int i = 0; i < CompactionPolicy.TIER_FILES; i++) {
            files.add(new Candidate(file("a" + i, CompactionPolicy.FULL_LEVEL, 0, 10, 1100), 0));
        }
        assertThat(policy.pickColumns(files)).isEmpty();
        assertThat(policy.pickAllColumns(files)).isEmpty();
        files.add(new Candidate(file("deleted", CompactionPolicy.FULL_LEVEL, 0, 10, 1100), 50));
        assertThat(policy.pickColumns(files).orElseThrow())
                .extracting(candidate -> candidate.entry().fileId())
                .containsExactly("deleted");
    }

    private static FileEntry file(String id, int level, int minKey, int maxKey, long sizeBytes) {
        return new FileEntry(
                id,
                new TableId(1),
                FileKind.COLUMN,
                level,
                "data/" + id,
                sizeBytes,
                100,
                new Lsn(1),
                new Lsn(2),
                Optional.empty(),
                OptionalLong.empty(),
                1,
                Optional.of(new byte[] {(byte) minKey}),
                Optional.of(new byte[] {(byte) maxKey}),
                Optional.empty(),
                Map.of(),
                Optional.empty(),
                Optional.empty());
    }
}
