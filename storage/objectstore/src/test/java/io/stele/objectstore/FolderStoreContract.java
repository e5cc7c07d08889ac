package io.stele.objectstore;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What every store of lakes must do, whatever names others gave. */
abstract class FolderStoreContract {
    private static final List<String> ODD_NAMES =
            List.of(
                    "p=a b+c",
                    "p=100%25",
                    "%41",
                    "\u4e2d\u6587 \u00fc",
                    "e\u0301",
                    "\ud83d\ude00",
                    "_hidden",
                    ".dot",
                    "a=b;c,d",
                    "#?&~!@$()'\"*[]{}<>|\\^`");

    abstract FolderStore store() throws IOException;

    /** A folder that no other test uses, without a slash at its end. */
    abstract String folder();

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    @Test
    void anyNameIsWrittenReadListedAndDeleted() throws Exception {
        FolderStore store = store();
        for (String name : ODD_NAMES) {
            String path = folder() + "/" + name + "/" + name;
            assertThat(store.createIfAbsent(path, bytes(name))).as(name).isTrue();
            assertThat(store.createIfAbsent(path, bytes("other"))).isFalse();
            assertThat(store.readFully(path)).isEqualTo(bytes(name));
            assertThat(store.read(path, 1, 1)).isEqualTo(new byte[] {bytes(name)[1]});
            assertThat(store.size(path)).isEqualTo(bytes(name).length);
            assertThat(store.find(path).orElseThrow().sizeBytes()).isEqualTo(bytes(name).length);
            assertThat(store.list(folder() + "/" + name + "/"))
                    .singleElement()
                    .extracting(ObjectEntry::path)
                    .isEqualTo(path);
            assertThat(store.listLevel(folder() + "/" + name).objects())
                    .singleElement()
                    .extracting(ObjectEntry::path)
                    .isEqualTo(path);
            store.put(path, bytes("new"));
            assertThat(store.readFully(path)).isEqualTo(bytes("new"));
        }
        assertThat(store.listLevel(folder()).folders())
                .containsExactlyInAnyOrderElementsOf(ODD_NAMES);
        for (String name : ODD_NAMES) {
            String path = folder() + "/" + name + "/" + name;
            store.delete(path);
            assertThat(store.find(path)).isEmpty();
        }
    }

    @Test
    void largeObjectsHaveAnyName() throws Exception {
        FolderStore store = store();
        byte[] content = new byte[12_345_678];
        new Random(1).nextBytes(content);
        String path = folder() + "/p=\u4e2d %/large";
        try (ObjectWriter writer = store.create(path)) {
            writer.write(content);
            writer.commit();
        }
        assertThat(Arrays.equals(store.readFully(path), content)).isTrue();
        assertThat(Arrays.equals(store.read(path, 0, content.length), content)).isTrue();
        assertThat(store.rename(path, folder() + "/other %")).isTrue();
        assertThat(store.size(folder() + "/other %")).isEqualTo(content.length);
        try (ObjectWriter writer = store.create(folder() + "/other %")) {
            writer.write(1);
            assertThatThrownBy(writer::commit).isInstanceOf(FileAlreadyExistsException.class);
        }
    }

    @Test
    void levelsAreShallow() throws Exception {
        FolderStore store = store();
        String top = folder();
        store.put(top + "/b", bytes("12"));
        store.put(top + "/a/x/1", bytes("1"));
        store.put(top + "/a/x/2", bytes("1"));
        store.put(top + "/b-2/x", bytes("1"));
        store.createFolder(top + "/empty");
        store.createFolder(top + "/empty");
        FolderLevel level = store.listLevel(top);
        assertThat(level.folders()).containsExactly("a", "b-2", "empty");
        assertThat(level.objects()).hasSize(1);
        ObjectEntry only = level.objects().getFirst();
        assertThat(only.path()).isEqualTo(top + "/b");
        assertThat(only.sizeBytes()).isEqualTo(2);
        assertThat(only.modified()).isAfter(Instant.parse("2020-01-01T00:00:00Z"));
        assertThat(store.find(top + "/b").map(ObjectEntry::path))
                .isEqualTo(Optional.of(top + "/b"));
        assertThat(store.find(top + "/a")).isEmpty();
        assertThat(store.find(top + "/b/below")).isEmpty();
        assertThat(store.hasFolder(top + "/a")).isTrue();
        assertThat(store.hasFolder(top + "/empty")).isTrue();
        assertThat(store.hasFolder(top + "/b")).isFalse();
        assertThat(store.hasFolder(top + "/none")).isFalse();
        assertThat(store.listLevel(top + "/none")).isEqualTo(FolderLevel.EMPTY);
        assertThat(store.listLevel(top + "/empty")).isEqualTo(FolderLevel.EMPTY);
        assertThat(store.listLevel("").folders()).contains(top.split("/", 2)[0]);
    }

    @Test
    void foldersAreDeletedAndRenamed() throws Exception {
        FolderStore store = store();
        String top = folder();
        store.put(top + "/a/x/1", bytes("1"));
        store.put(top + "/a/2", bytes("2"));
        store.put(top + "/c", bytes("3"));
        store.createFolder(top + "/a/empty");
        assertThatThrownBy(() -> store.deleteFolder(top + "/a", false))
                .isInstanceOf(DirectoryNotEmptyException.class);
        assertThat(store.rename(top + "/none", top + "/b")).isFalse();
        assertThat(store.rename(top + "/a", top + "/c")).isFalse();
        assertThat(store.rename(top + "/a", top + "/d/b")).isTrue();
        assertThat(store.readFully(top + "/d/b/x/1")).isEqualTo(bytes("1"));
        assertThat(store.listLevel(top + "/d/b").folders()).containsExactly("empty", "x");
        assertThat(store.hasFolder(top + "/a")).isFalse();
        assertThat(store.rename(top + "/c", top + "/d/b/2")).isFalse();
        assertThat(store.readFully(top + "/d/b/2")).isEqualTo(bytes("2"));
        assertThat(store.deleteFolder(top + "/d/b/empty", false)).isTrue();
        assertThat(store.deleteFolder(top + "/d/b/empty", false)).isFalse();
        assertThat(store.deleteFolder(top + "/d", true)).isTrue();
        assertThat(store.deleteFolder(top + "/d", true)).isFalse();
        assertThatThrownBy(() -> store.readFully(top + "/d/b/2"))
                .isInstanceOf(NoSuchFileException.class);
        assertThat(store.listLevel(top).folders()).isEmpty();
    }

    @Test
    void filesOfOtherWritersStay() throws Exception {
        assertThat(store().deleteAbandoned(Instant.MAX)).isZero();
    }
}
