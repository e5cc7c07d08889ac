package io.stele.objectstore.s3;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.stele.testing.LoopbackServer;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URLDecoder;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A server of one bucket in memory that refuses as S3 does what was signed more than 15 minutes
 * away from its own clock, which a test may set. It does not check the signatures themselves. Each
 * connection is good for one request. Safe for use by many threads.
 */
final class SkewedS3 implements AutoCloseable {
    private static final DateTimeFormatter SIGNED =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'", Locale.ROOT)
                    .withZone(ZoneOffset.UTC);
    private static final DateTimeFormatter DATE =
            DateTimeFormatter.RFC_1123_DATE_TIME.withZone(ZoneOffset.UTC);
    private static final Duration LIMIT = Duration.ofMinutes(15);
    private static final String BUCKET_PATH = "/bucket/";

    private final LoopbackServer server = LoopbackServer.start(this::serve);
    private final Map<String, Stored> objects = new TreeMap<>(); // guarded by itself
    private final AtomicInteger requests = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();
    private volatile Duration skew = Duration.ZERO;
    private volatile boolean dated = true;

    SkewedS3() throws IOException {}

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Stored(byte[] content, Optional<String> creation) {
        String tag() {
            return '"' + HexFormat.of().toHexDigits(Arrays.hashCode(content)) + '"';
        }
    }

    /** Headers have lower case names. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Request(
            String method, String path, String query, Map<String, String> headers, byte[] body) {
        Optional<String> find(String header) {
            return Optional.ofNullable(headers.get(header));
        }
    }

    int port() {
        return server.port();
    }

    /** How far its clock is ahead of the machine's from now on. */
    void setSkew(Duration newSkew) {
        skew = newSkew;
    }

    /** From now on answers have no date. */
    void stopDating() {
        dated = false;
    }

    /** The requests so far. */
    int requests() {
        return requests.get();
    }

    /** Those of them that were refused for their time. */
    int refused() {
        return refused.get();
    }

    private Instant now() {
        return Instant.now().plus(skew);
    }

    private void serve(Socket client) throws IOException {
        OutputStream out = client.getOutputStream();
        Request request = read(client.getInputStream(), out);
        requests.incrementAndGet();
        String time = request.find("x-amz-date").orElseThrow();
        boolean sameDay =
                request.find("authorization")
                        .orElseThrow()
                        .contains("/" + time.substring(0, 8) + "/");
        Duration away = Duration.between(SIGNED.parse(time, Instant::from), now()).abs();
        if (!sameDay || away.compareTo(LIMIT) > 0) {
            refused.incrementAndGet();
            answer(out, request, "403 Forbidden", error("RequestTimeTooSkewed"));
        } else {
            answer(out, request);
        }
        out.flush();
    }

    private void answer(OutputStream out, Request request) throws IOException {
        String key = request.path().substring(BUCKET_PATH.length());
        synchronized (objects) {
            Stored there = objects.get(key);
            switch (request.method()) {
                case "PUT" -> {
                    boolean wanted =
                            request.find("if-none-match").map(_ -> there == null).orElse(true)
                                    && request.find("if-match")
                                            .map(tag -> there != null && tag.equals(there.tag()))
                                            .orElse(true);
                    if (!wanted) {
                        answer(
                                out,
                                request,
                                "412 Precondition Failed",
                                error("PreconditionFailed"));
                        return;
                    }
                    Stored stored =
                            new Stored(
                                    request.body(),
                                    request.find("x-amz-meta-" + S3Creation.METADATA_KEY));
                    objects.put(key, stored);
                    answer(out, request, "200 OK", new byte[0], "ETag: " + stored.tag());
                }
                case "DELETE" -> {
                    objects.remove(key);
                    answer(out, request, "204 No Content", new byte[0]);
                }
                case "GET", "HEAD" -> {
                    if (request.query().contains("list-type=2")) {
                        answer(out, request, "200 OK", list());
                    } else if (there == null) {
                        answer(out, request, "404 Not Found", error("NoSuchKey"));
                    } else {
                        get(out, request, there);
                    }
                }
                default -> answer(out, request, "501 Not Implemented", error("NotImplemented"));
            }
        }
    }

    private void get(OutputStream out, Request request, Stored stored) throws IOException {
        List<String> headers = new ArrayList<>(List.of("ETag: " + stored.tag()));
        stored.creation()
                .ifPresent(id -> headers.add("x-amz-meta-" + S3Creation.METADATA_KEY + ": " + id));
        Optional<String> range = request.find("range");
        if (range.isEmpty()) {
            answer(out, request, "200 OK", stored.content(), headers.toArray(String[]::new));
            return;
        }
        String[] ends = range.get().substring("bytes=".length()).split("-");
        int from = Integer.parseInt(ends[0]);
        int to = (int) Math.min(Long.parseLong(ends[1]) + 1, stored.content().length);
        headers.add(
                "Content-Range: bytes %d-%d/%d".formatted(from, to - 1, stored.content().length));
        answer(
                out,
                request,
                "206 Partial Content",
                Arrays.copyOfRange(stored.content(), from, to),
                headers.toArray(String[]::new));
    }

    private byte[] list() {
        StringBuilder xml = new StringBuilder("<ListBucketResult><IsTruncated>false</IsTruncated>");
        objects.forEach(
                (key, stored) ->
                        xml.append("<Contents><Key>")
                                .append(key)
                                .append("</Key><Size>")
                                .append(stored.content().length)
                                .append("</Size></Contents>"));
        return xml.append("</ListBucketResult>").toString().getBytes(UTF_8);
    }

    private static byte[] error(String code) {
        return "<Error><Code>%s</Code><Message>of the test</Message></Error>"
                .formatted(code)
                .getBytes(UTF_8);
    }

    private void answer(
            OutputStream out, Request request, String status, byte[] body, String... headers)
            throws IOException {
        StringBuilder head = new StringBuilder("HTTP/1.1 " + status + "\r\n");
        if (dated) {
            head.append("Date: ").append(DATE.format(now())).append("\r\n");
        }
        for (String header : headers) {
            head.append(header).append("\r\n");
        }
        if (!status.startsWith("204")) {
            head.append("Content-Length: ").append(body.length).append("\r\n");
        }
        out.write(head.append("Connection: close\r\n\r\n").toString().getBytes(ISO_8859_1));
        if (!request.method().equals("HEAD")) {
            out.write(body);
        }
    }

    private static Request read(InputStream in, OutputStream out) throws IOException {
        StringBuilder text = new StringBuilder();
        while (text.indexOf("\r\n\r\n") < 0) {
            int next = in.read();
            if (next < 0) {
                throw new EOFException("The client has gone");
            }
            text.append((char) next);
        }
        String[] lines = text.toString().split("\r\n");
        Map<String, String> headers = new TreeMap<>();
        for (String line : Arrays.asList(lines).subList(1, lines.length)) {
            int colon = line.indexOf(':');
            headers.put(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip());
        }
        if (headers.containsKey("expect")) {
            out.write("HTTP/1.1 100 Continue\r\n\r\n".getBytes(ISO_8859_1));
            out.flush();
        }
        int length = Integer.parseInt(headers.getOrDefault("content-length", "0"));
        String[] first = lines[0].split(" ");
        String[] target = first[1].split("\\?", 2);
        String path = URLDecoder.decode(target[0], UTF_8);
        return new Request(
                first[0],
                // Of the bucket itself, which may come without the slash
                path.startsWith(BUCKET_PATH) ? path : BUCKET_PATH,
                target.length == 1 ? "" : target[1],
                headers,
                headers.containsKey("x-amz-decoded-content-length")
                        ? decoded(in.readNBytes(length))
                        : in.readNBytes(length));
    }

    /** Of {@code aws-chunked}: chunks, each behind a line with its length and its signature. */
    private static byte[] decoded(byte[] body) {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        String text = new String(body, ISO_8859_1);
        int at = 0;
        while (true) {
            int length = Integer.parseInt(text.substring(at, text.indexOf(';', at)), 16);
            if (length == 0) {
                return content.toByteArray();
            }
            at = text.indexOf("\r\n", at) + 2;
            content.write(body, at, length);
            at += length + 2;
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
