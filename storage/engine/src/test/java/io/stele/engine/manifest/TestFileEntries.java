package io.stele.engine.manifest;

import static io.stele.engine.manifest.ManifestFiles.file;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.engine.manifest.FileEntries.Difference;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TestFileEntries {
    /** A map in the order of its insertions is the oracle, of the sets and of their differences. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void setsAreAsMaps(long seed) {
        boolean moves = seed > 3; // files that were removed come back
        SplittableRandom random = new SplittableRandom(seed);
        Map<String, FileEntry> model = new LinkedHashMap<>();
        List<FileEntries> versions = new ArrayList<>();
        versions.add(FileEntries.of());
        int next = 0;
        for (int version = 0; version < 300; version++) {
            FileEntries.Draft draft = versions.getLast().draft();
            for (int change = random.nextInt(version % 50 == 0 ? 200 : 6); change > 0; change--) {
                List<String> ids = List.copyOf(model.keySet());
                int kind = ids.isEmpty() ? 0 : random.nextInt(6);
                if (kind <= 2) {
                    FileEntry entry = file(random, "f" + next++);
                    draft.put(entry);
                    model.put(entry.fileId(), entry);
                } else {
                    String id = ids.get(random.nextInt(ids.size()));
                    FileEntry entry = file(random, id);
                    if (kind == 3 || (kind == 4 && moves && random.nextInt(8) == 0)) {
                        assertThat(draft.remove(id)).isTrue();
                        assertThat(draft.remove(id)).isFalse();
                        model.remove(id);
                    }
                    if (kind >= 4) { // replaced, or moved to the end
                        draft.put(entry);
                        model.put(id, entry);
                    }
                }
            }
            if (random.nextInt(20) == 0) {
                int level = random.nextInt(3);
                draft.removeIf(entry -> entry.level() == level);
                model.values().removeIf(entry -> entry.level() == level);
            }
            FileEntries built = draft.build();
            versions.add(built);
            assertThat(built).containsExactlyElementsOf(model.values()).hasSize(model.size());
            for (int i = 0; i < 5; i++) {
                String id = "f" + random.nextInt(next + 2);
                assertThat(built.find(id).orElse(null)).isSameAs(model.get(id));
            }
            FileEntries other = versions.get(random.nextInt(versions.size()));
            assertDifference(built, other, moves);
            assertDifference(other, built, true); // as if the files had been removed
        }
    }

    private static void assertDifference(FileEntries now, FileEntries before, boolean moves) {
        Map<String, FileEntry> there = new LinkedHashMap<>();
        before.forEach(entry -> there.put(entry.fileId(), entry));
        List<FileEntry> changed =
                now.stream().filter(entry -> there.get(entry.fileId()) != entry).toList();
        List<String> removed =
                there.keySet().stream().filter(id -> now.find(id).isEmpty()).toList();
        Difference difference = now.differenceFrom(before);
        assertThat(difference.changed())
                .usingElementComparator(TestFileEntries::same)
                .isEqualTo(changed);
        assertThat(difference.removedIds()).isEqualTo(removed);
        removed.forEach(there::remove);
        changed.forEach(entry -> there.put(entry.fileId(), entry));
        boolean inOrder =
                List.copyOf(there.keySet()).equals(now.stream().map(FileEntry::fileId).toList());
        assertThat(difference.inOrder()).isIn(inOrder, inOrder && !moves);
    }

    private static int same(FileEntry one, FileEntry other) {
        return one == other ? 0 : 1;
    }

    /** Else each version of a manifest of many files would cost as much as all of its files. */
    @Test
    void aSmallChangeSharesTheRest() {
        SplittableRandom random = new SplittableRandom(7);
        List<FileEntry> files = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            files.add(file(random, "f" + i));
        }
        FileEntries before = FileEntries.of(files);
        FileEntries.Draft draft = before.draft();
        draft.put(file(random, "new"));
        assertThat(draft.remove("f500")).isTrue();
        assertThat(draft.build().sharesWith(before)).isTrue();

        FileEntries.Draft large = before.draft();
        large.removeIf(entry -> entry.fileId().endsWith("7"));
        FileEntries built = large.build();
        assertThat(built.sharesWith(before)).isTrue();
        large = built.draft();
        large.removeIf(entry -> entry.fileId().endsWith("8"));
        assertThat(large.build().sharesWith(before)).isFalse();
    }

    @Test
    void anIdIsThereOnce() {
        FileEntry file = file(new SplittableRandom(1), "f1");
        assertThatThrownBy(() -> FileEntries.of(List.of(file, file)))
                .hasMessage("Expected each file id once, found f1 twice");
    }
}
