package io.stele.objectstore.retrieval.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class TestChunkedBody {
    @Test
    void aBodyIsThereWhenItsLastByteIs() throws IOException {
        byte[] bytes =
                "4;x=y\r\nwiki\r\nA\r\npedia in \r\r\n0\r\nTrailer: z\r\n\r\n".getBytes(ISO_8859_1);
        for (int length = 0; length < bytes.length; length++) {
            assertThat(ChunkedBody.decode(bytes, length)).isEmpty();
        }
        assertThat(ChunkedBody.decode(bytes, bytes.length))
                .hasValueSatisfying(
                        body ->
                                assertThat(new String(body, ISO_8859_1))
                                        .isEqualTo("wikipedia in \r"));
    }

    @Test
    void whatIsNoChunkIsRefused() {
        assertThatThrownBy(() -> decode("zz\r\n")).hasMessageContaining("found: zz");
        assertThatThrownBy(() -> decode("<Error>".repeat(30))).hasMessageContaining("longer line");
        assertThatThrownBy(() -> decode("-1\r\n")).isInstanceOf(IOException.class);
    }

    private static void decode(String text) throws IOException {
        byte[] bytes = text.getBytes(ISO_8859_1);
        assertThat(ChunkedBody.decode(bytes, bytes.length)).isEmpty();
    }
}
