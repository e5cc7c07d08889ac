package io.stele.objectstore.retrieval.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.objectstore.retrieval.ContentRange;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class TestResponseHead {
    @Test
    void readsWhatS3Says() throws IOException {
        ResponseHead head =
                parse(
                        "HTTP/1.1 206 Partial Content\r\nContent-Length: 10\r\n"
                                + "content-range: bytes 5-14/100\r\nETag: \"abc\"\r\nETag: \"later\"\r\n\r\n");
        assertThat(head.status()).isEqualTo(206);
        assertThat(head.contentLength()).hasValue(10);
        assertThat(head.contentRange()).isEqualTo(new ContentRange(5, 14, 100));
        assertThat(head.find("etag")).hasValue("\"abc\"");
        assertThat(head.keepsAlive()).isTrue();
        assertThat(head.isChunked()).isFalse();
    }

    @Test
    void connectionsEndWhereTheHeadSaysSo() throws IOException {
        assertThat(parse("HTTP/1.1 200 OK\r\nConnection: Close\r\n\r\n").keepsAlive()).isFalse();
        assertThat(parse("HTTP/1.0 200 OK\r\n\r\n").keepsAlive()).isFalse();
        assertThat(parse("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n\r\n").keepsAlive())
                .isTrue();
    }

    @Test
    void theEndIsFoundWhereverItLies() {
        byte[] bytes = "HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody\r\n\r\n".getBytes(ISO_8859_1);
        assertThat(ResponseHead.end(bytes, 0, bytes.length)).isEqualTo(25);
        assertThat(ResponseHead.end(bytes, 0, 24)).isEqualTo(-1);
        assertThat(ResponseHead.end(bytes, 24, 25)).isEqualTo(25);
    }

    @Test
    void whatIsNoHeadIsRefused() {
        assertRefused("SSH-2.0-OpenSSH\r\n\r\n", "Expected an answer of HTTP/1.1");
        assertRefused("HTTP/1.1 20 OK\r\n\r\n", "Expected an answer of HTTP/1.1");
        assertRefused("HTTP/1.1 200 OK\r\nno colon\r\n\r\n", "Expected a header");
        assertRefused("HTTP/1.1 200 OK\r\n" + "a: b\r\n".repeat(300) + "\r\n", "at most 200");
        assertThatThrownBy(
                        () ->
                                parse("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n")
                                        .contentLength())
                .hasMessageContaining("Expected a number");
        for (String range : new String[] {"bytes */100", "bytes 1-2", "1-2/3", "bytes a-b/c"}) {
            assertThatThrownBy(
                            () ->
                                    parse("HTTP/1.1 206 OK\r\nContent-Range: " + range + "\r\n\r\n")
                                            .contentRange())
                    .isInstanceOf(IOException.class);
        }
    }

    private static void assertRefused(String text, String message) {
        assertThatThrownBy(() -> parse(text))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(message);
    }

    private static ResponseHead parse(String text) throws IOException {
        byte[] bytes = text.getBytes(ISO_8859_1);
        return ResponseHead.parse(bytes, bytes.length);
    }
}
