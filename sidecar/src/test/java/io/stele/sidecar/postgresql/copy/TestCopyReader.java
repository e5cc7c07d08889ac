package io.stele.sidecar.postgresql.copy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class TestCopyReader {
    private static final List<List<String>> ROWS =
            List.of(
                    Arrays.asList("a\tb", null, "x"),
                    Arrays.asList("", "line\nbreak", "\\"),
                    Arrays.asList("\u00e9", "\"quoted\"", "a,b"),
                    Arrays.asList(null, null, null));

    @Test
    void rowsAreTheSameWhereverTheirBytesAreCut() throws IOException {
        check(CopyOptions.TEXT, text());
        check(CopyOptions.CSV, csv(CopyOptions.CSV));
        CopyOptions own =
                CopyOptions.CSV
                        .withDelimiter('|')
                        .withNull("null")
                        .withQuote('\'')
                        .withHeader(true);
        check(own, csv(own));
        check(CopyOptions.CSV.withEscape('\\'), csv(CopyOptions.CSV.withEscape('\\')));
        check(CopyOptions.BINARY, binary());
    }

    /** What was there before each part must not be copied again: it would take minutes. */
    @Test
    void longBinaryRowsComeInManyParts() throws IOException {
        byte[] value = new byte[16 << 20];
        new Random(1).nextBytes(value);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.write(CopyReader.signature());
        out.writeLong(0);
        out.writeShort(3);
        for (int i = 0; i < 3; i++) {
            out.writeInt(value.length);
            out.write(value);
        }
        CopyReader reader = new CopyReader(CopyOptions.BINARY, 3);
        byte[] all = bytes.toByteArray();
        int part = 4096;
        for (int at = 0; at < all.length; at += part) {
            assertThat(reader.next(false)).isEmpty();
            reader.add(Arrays.copyOfRange(all, at, Math.min(at + part, all.length)));
        }
        assertThat(reader.next(false).orElseThrow())
                .allSatisfy(found -> assertThat(found.orElseThrow()).isEqualTo(value));
        assertThat(reader.next(true)).isEmpty();
    }

    private static void check(CopyOptions options, byte[] bytes) {
        Random random = new Random(3);
        for (int round = 0; round < 200; round++) {
            CopyReader reader = new CopyReader(options, 3);
            List<List<String>> rows = new ArrayList<>();
            int at = 0;
            while (at < bytes.length) {
                int length = Math.min(1 + random.nextInt(round < 5 ? 1 : 20), bytes.length - at);
                reader.add(Arrays.copyOfRange(bytes, at, at + length));
                at += length;
                take(reader, false, rows);
            }
            take(reader, true, rows);
            assertThat(rows).isEqualTo(ROWS);
        }
    }

    private static void take(CopyReader reader, boolean isLast, List<List<String>> rows) {
        Optional<List<Optional<byte[]>>> row = reader.next(isLast);
        while (row.isPresent()) {
            rows.add(
                    row.get().stream()
                            .map(value -> value.map(bytes -> new String(bytes, UTF_8)).orElse(null))
                            .toList()
                            .stream()
                            .collect(ArrayList::new, ArrayList::add, ArrayList::addAll));
            row = reader.next(isLast);
        }
    }

    private static byte[] text() {
        StringBuilder text = new StringBuilder();
        for (List<String> row : ROWS) {
            for (int i = 0; i < 3; i++) {
                String value = row.get(i);
                text.append(i == 0 ? "" : "\t")
                        .append(
                                value == null
                                        ? "\\N"
                                        : value.replace("\\", "\\\\")
                                                .replace("\t", "\\t")
                                                .replace("\n", "\\n"));
            }
            text.append('\n');
        }
        return text.append("\\.\n").toString().getBytes(UTF_8);
    }

    private static byte[] csv(CopyOptions options) {
        StringBuilder text = new StringBuilder(options.header() ? "one|two|three\n" : "");
        String quote = String.valueOf(options.quote());
        String escape = String.valueOf(options.escape());
        for (List<String> row : ROWS) {
            for (int i = 0; i < 3; i++) {
                String value = row.get(i);
                text.append(i == 0 ? "" : options.delimiter());
                if (value == null) {
                    text.append(options.nullText());
                } else {
                    String escaped =
                            escape.equals(quote) ? value : value.replace(escape, escape + escape);
                    text.append(quote).append(escaped.replace(quote, escape + quote)).append(quote);
                }
            }
            text.append("\r\n");
        }
        return text.toString().getBytes(UTF_8);
    }

    private static byte[] binary() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.write(new byte[] {'P', 'G', 'C', 'O', 'P', 'Y', '\n', (byte) 0xFF, '\r', '\n', 0});
        out.writeInt(0);
        out.writeInt(2);
        out.writeShort(0);
        for (List<String> row : ROWS) {
            out.writeShort(3);
            for (String value : row) {
                byte[] utf8 = value == null ? new byte[0] : value.getBytes(UTF_8);
                out.writeInt(value == null ? -1 : utf8.length);
                out.write(utf8);
            }
        }
        out.writeShort(-1);
        return bytes.toByteArray();
    }

    @Test
    void theTextOfNullMayHaveAnyCharacters() {
        CopyReader reader = new CopyReader(CopyOptions.TEXT.withNull("\u00f8"), 2);
        reader.add("\u00f8\t\u00f8\u00f8\n".getBytes(UTF_8));
        List<Optional<byte[]>> row = reader.next(false).orElseThrow();
        assertThat(row.getFirst()).isEmpty();
        assertThat(row.getLast().orElseThrow()).isEqualTo("\u00f8\u00f8".getBytes(UTF_8));
    }

    @Test
    void wrongRowsAreNamed() {
        CopyReader reader = new CopyReader(CopyOptions.CSV, 2);
        reader.add("1,2\n3\n".getBytes(UTF_8));
        assertThat(reader.next(false)).isPresent();
        assertThatThrownBy(() -> reader.next(false))
                .hasMessage("Expected 2 values in row 2 of COPY, found 1");
        CopyReader binary = new CopyReader(CopyOptions.BINARY, 2);
        binary.add("this is no binary COPY".getBytes(UTF_8));
        assertThatThrownBy(() -> binary.next(true)).hasMessageContaining("header");
    }
}
