package io.stele.engine.compaction.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.datafile.Descriptors;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.manifest.FileKind;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class TestHeldBackFiles {
    private static final FileEntry DAMAGED = entry("00000000000000aa");
    private static final FileEntry WHOLE = entry("00000000000000bb");
    private static final String CAUSE =
            "Expected checksum 1, found 2 in data/7/1-0/00000000000000aa.orc at offset 0";

    private final HeldBackFiles files = new HeldBackFiles();

    private static FileEntry entry(String id) {
        return Descriptors.file(FileKind.COLUMN, id, 1, 0, 10, 1_000);
    }

    @Test
    void onlyWhatTheFailureNamesIsLeftAlone() {
        files.failed(List.of(DAMAGED, WHOLE), CAUSE, 1_000);
        assertThat(files.contains(DAMAGED, 10_999)).isTrue();
        assertThat(files.contains(WHOLE, 1_000)).isFalse();
        assertThat(files.contains(DAMAGED, 11_000)).as("tried again").isFalse();
        assertThat(files.isEmpty()).as("but not forgotten").isFalse();
    }

    @Test
    void allAreLeftAloneIfTheFailureNamesNone() {
        files.failed(List.of(DAMAGED, WHOLE), "a bug", 0);
        assertThat(files.contains(DAMAGED, 9_999)).isTrue();
        assertThat(files.contains(WHOLE, 9_999)).isTrue();
    }

    @Test
    void pausesDoubleUpToElevenMinutes() {
        long pauseMillis = 10_000;
        for (int failures = 1; failures <= 40; failures++) {
            files.failed(List.of(DAMAGED), CAUSE, 0);
            assertThat(files.contains(DAMAGED, pauseMillis - 1)).isTrue();
            assertThat(files.contains(DAMAGED, pauseMillis)).isFalse();
            pauseMillis = Math.min(640_000, 2 * pauseMillis);
        }
    }

    @Test
    void whatTheTableHasNoMoreIsForgotten() {
        files.failed(List.of(DAMAGED, WHOLE), "a bug", 0);
        files.retain(Set.of(WHOLE.fileId()));
        assertThat(files.contains(DAMAGED, 0)).isFalse();
        assertThat(files.contains(WHOLE, 0)).isTrue();
        files.retain(Set.of());
        assertThat(files.isEmpty()).isTrue();
    }
}
