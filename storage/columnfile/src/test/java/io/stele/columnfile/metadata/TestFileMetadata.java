package io.stele.columnfile.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.SteleException;
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
}
