package io.stele.columnfile.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.objectstore.InMemoryObjectStore;
import io.stele.protocol.SteleException;
import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class TestFileMetadata {
    private static final String PATH = "data/1/0/a.orc";

    private static FileMetadataBytes bytes() {
        FileMetadataBytes bytes = new FileMetadataBytes();
        bytes.add(3, new byte[] {1, 2, 3});
        bytes.add(100, new byte[] {4});
        bytes.add(101, new byte[] {5, 6});
        return bytes;
    }

    @Test
    void comesBackAsItWas() {
        byte[] encoded = new FileMetadata(new byte[] {7, 8}, bytes()).encode().orElseThrow();
        FileMetadata found = FileMetadata.decode(PATH, encoded);
        assertThat(found.checksums()).containsExactly(7, 8);
        assertThat(found.bytes().at(3, 3)).containsExactly(1, 2, 3);
        assertThat(found.bytes().at(100, 3)).containsExactly(4, 5, 6);
        assertThat(found.bytes().last(10)).containsExactly(4, 5, 6);
        assertThat(found.bytes().end()).isEqualTo(103);
        assertThat(found.bytes().hasEnds(3, 3, 100, 3)).isTrue();
        assertThat(found.bytes().hasEnds(3, 3, 99, 3)).isFalse();
        assertThat(found.bytes().hasEnds(4, 3, 100, 3)).isFalse();
    }

    @Test
    void everyDamageIsFound() {
        byte[] encoded = new FileMetadata(new byte[] {7, 8}, bytes()).encode().orElseThrow();
        for (int at = 0; at < encoded.length; at++) {
            byte[] damaged = encoded.clone();
            damaged[at] ^= 1;
            assertThatThrownBy(() -> FileMetadata.decode(PATH, damaged))
                    .isInstanceOf(SteleException.class)
                    .hasMessageContaining(PATH);
            byte[] cut = Arrays.copyOf(encoded, at);
            assertThatThrownBy(() -> FileMetadata.decode(PATH, cut))
                    .isInstanceOf(SteleException.class)
                    .hasMessageContaining(PATH);
        }
    }

    @Test
    void whatIsTooLongIsNotSent() {
        FileMetadataBytes bytes = new FileMetadataBytes();
        bytes.add(0, new byte[FileMetadata.MAX_BYTES]);
        assertThat(new FileMetadata(new byte[0], bytes).encode()).isEmpty();
    }

    @Test
    void ofWhatIsTooLongTheChecksumsAreStored() {
        FileMetadataBytes bytes = new FileMetadataBytes();
        bytes.add(0, new byte[FileMetadata.MAX_BYTES]);
        byte[] stored = new FileMetadata(new byte[] {7, 8}, bytes).encodeStored();
        FileMetadata found = FileMetadata.decode(PATH, stored, 5); // a file of any size
        assertThat(found.isChecksumsAlone()).isTrue();
        assertThat(found.checksums()).containsExactly(7, 8);

        FileMetadata whole = new FileMetadata(new byte[] {7, 8}, bytes());
        assertThat(whole.encodeStored()).isEqualTo(whole.encode().orElseThrow());
        assertThat(FileMetadata.decode(PATH, whole.encodeStored(), 103).isChecksumsAlone())
                .isFalse();
        assertThatThrownBy(() -> FileMetadata.decode(PATH, whole.encodeStored(), 104))
                .isInstanceOf(SteleException.class)
                .hasMessageContaining("Expected size of the file 104, found 103")
                .hasMessageContaining(PATH);
    }

    @Test
    void checksumsThatAreNoneAreRefused() throws IOException {
        InMemoryObjectStore store = new InMemoryObjectStore();
        byte[] sums;
        try (ChecksummingWriter writer = ChecksummingWriter.createAlone(store, PATH)) {
            writer.write(new byte[100_000]);
            writer.commit();
            sums = writer.checksums();
        }
        assertThat(store.list("")).hasSize(1);
        FileMetadata good = new FileMetadata(sums, new FileMetadataBytes());
        assertThat(good.checksums(PATH, 100_000, "a.idx").fileBytes()).isEqualTo(100_000);
        assertThatThrownBy(() -> good.checksums(PATH, 100_001, "a.idx"))
                .hasMessageContaining("found 100000 in a.idx");
        for (int at = 0; at < sums.length; at++) {
            byte[] bad = sums.clone();
            bad[at] ^= 1;
            FileMetadata damaged = new FileMetadata(bad, new FileMetadataBytes());
            assertThatThrownBy(() -> damaged.checksums(PATH, 100_000, "a.idx"))
                    .isInstanceOf(SteleException.class)
                    .hasMessageContaining("a.idx");
            FileMetadata cut = new FileMetadata(Arrays.copyOf(sums, at), new FileMetadataBytes());
            assertThatThrownBy(() -> cut.checksums(PATH, 100_000, "a.idx"))
                    .isInstanceOf(SteleException.class)
                    .hasMessageContaining("a.idx");
        }
    }
}
