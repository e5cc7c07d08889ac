package io.stele.sidecar.postgresql.copy;

import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * A reader of the rows of COPY FROM, whose bytes come in parts that end anywhere. It gives each row
 * as the values' bytes, of BINARY in binary form, else as text; empty for NULL. Confined to one
 * thread.
 *
 * @see <a href="https://www.postgresql.org/docs/15/sql-copy.html">PostgreSQL 15, COPY</a>
 */
public final class CopyReader {
    /** Longer rows than any that are stored. */
    private static final int MAX_ROW_BYTES = 64 << 20;

    private static final byte[] SIGNATURE = {
        'P', 'G', 'C', 'O', 'P', 'Y', '\n', (byte) 0xFF, '\r', '\n', 0
    };
    private static final int HEADER_BYTES = SIGNATURE.length + 8;

    private final CopyOptions options;
    private final int columns;
    private final byte[] nullBytes;
    private byte[] buffer = new byte[0];
    private byte[] csvValue = new byte[0];
    private int start;
    private int end;
    private int scanned; // bytes from start on that have no end of row
    private int needed; // bytes from start on without which the row of BINARY is not whole
    private boolean inQuotes; // at start + scanned, of CSV
    private long rowNumber;
    private boolean hasBegun; // the header is passed
    private boolean isDone; // the end was announced

    public CopyReader(CopyOptions options, int columns) {
        this.options = options;
        this.columns = columns;
        this.nullBytes = options.nullText().getBytes(StandardCharsets.UTF_8);
    }

    /** The first bytes of PostgreSQL's binary format. */
    static byte[] signature() {
        return SIGNATURE.clone();
    }

    /** Adds bytes; {@link #next} then gives the rows that are complete. */
    public void add(byte[] bytes) {
        if (end - start + bytes.length > MAX_ROW_BYTES) {
            throw bad("a row of at most %s bytes".formatted(MAX_ROW_BYTES), "a longer one");
        }
        if (start > 0) {
            System.arraycopy(buffer, start, buffer, 0, end - start);
            end -= start;
            start = 0;
        }
        if (buffer.length - end < bytes.length) {
            buffer = Arrays.copyOf(buffer, Math.max(2 * buffer.length, end + bytes.length));
        }
        System.arraycopy(bytes, 0, buffer, end, bytes.length);
        end += bytes.length;
    }

    /**
     * The next row that is complete.
     *
     * @param isLast whether no more bytes come, so that the last line needs no end
     * @throws PostgresException BAD_COPY_FORMAT, naming the row
     */
    public Optional<List<Optional<byte[]>>> next(boolean isLast) {
        while (!isDone) {
            Optional<List<Optional<byte[]>>> row =
                    options.format() == CopyOptions.Format.BINARY
                            ? nextBinary(isLast)
                            : nextLine(isLast);
            if (row.isEmpty() || hasBegun || !options.header()) {
                hasBegun |= row.isPresent();
                return row;
            }
            hasBegun = true; // the names are not looked at
        }
        return Optional.empty();
    }

    private Optional<List<Optional<byte[]>>> nextLine(boolean isLast) {
        boolean isCsv = options.format() == CopyOptions.Format.CSV;
        int at = start + scanned;
        boolean isCutInEscape = false;
        while (at < end && !(buffer[at] == '\n' && !inQuotes)) {
            if (isCsv && buffer[at] == options.quote()) {
                inQuotes = !inQuotes; // one that is doubled changes it twice
            } else if (buffer[at] == (isCsv ? options.escape() : '\\') && (inQuotes || !isCsv)) {
                if (at + 1 == end) {
                    isCutInEscape = true; // what it quotes has not come
                    break;
                }
                at++;
            }
            at++;
        }
        scanned = at - start;
        if ((at >= end || isCutInEscape) && !(isLast && end > start)) {
            return Optional.empty();
        }
        int lineEnd = isCutInEscape ? end : Math.min(at, end);
        int next = Math.min(lineEnd + 1, end);
        int contentEnd = lineEnd > start && buffer[lineEnd - 1] == '\r' ? lineEnd - 1 : lineEnd;
        int contentStart = start;
        start = next;
        scanned = 0;
        inQuotes = false;
        rowNumber++;
        int length = contentEnd - contentStart;
        if (length == 2 && buffer[contentStart] == '\\' && buffer[contentStart + 1] == '.') {
            isDone = true;
            return Optional.empty();
        }
        List<Optional<byte[]>> values =
                isCsv ? csv(contentStart, contentEnd) : text(contentStart, contentEnd);
        if (values.size() != columns && !(columns == 0 && length == 0)) {
            throw bad(columns + " values", Integer.toString(values.size()));
        }
        return Optional.of(values);
    }

    private List<Optional<byte[]>> text(int lineStart, int lineEnd) {
        List<Optional<byte[]>> values = new ArrayList<>(columns);
        int from = lineStart;
        boolean hasEscapes = false;
        for (int at = lineStart; at <= lineEnd; at++) {
            if (at < lineEnd && buffer[at] == '\\') {
                hasEscapes = true;
                at++;
            } else if (at == lineEnd || buffer[at] == options.delimiter()) {
                values.add(text(from, at, hasEscapes));
                from = at + 1;
                hasEscapes = false;
            }
        }
        if (from <= lineEnd && lineEnd > lineStart && buffer[lineEnd - 1] == '\\') {
            throw bad("a character after a backslash", "the end of the line");
        }
        return values;
    }

    private Optional<byte[]> text(int from, int to, boolean hasEscapes) {
        if (isNull(buffer, from, to)) {
            return Optional.empty();
        }
        byte[] raw = Arrays.copyOfRange(buffer, from, to);
        return Optional.of(hasEscapes ? unescaped(raw) : raw);
    }

    private boolean isNull(byte[] bytes, int from, int to) {
        return Arrays.equals(bytes, from, to, nullBytes, 0, nullBytes.length);
    }

    private static byte[] unescaped(byte[] raw) {
        ByteArrayOutputStream plain = new ByteArrayOutputStream(raw.length);
        for (int i = 0; i < raw.length; i++) {
            if (raw[i] != '\\' || i + 1 == raw.length) {
                plain.write(raw[i]);
                continue;
            }
            i++;
            switch (raw[i]) {
                case 'b' -> plain.write('\b');
                case 'f' -> plain.write('\f');
                case 'n' -> plain.write('\n');
                case 'r' -> plain.write('\r');
                case 't' -> plain.write('\t');
                case 'v' -> plain.write(0x0B);
                case 'x' -> i = hexadecimal(raw, i, plain);
                case '0', '1', '2', '3', '4', '5', '6', '7' -> i = octal(raw, i, plain);
                default -> plain.write(raw[i]);
            }
        }
        return plain.toByteArray();
    }

    private static int hexadecimal(byte[] raw, int at, ByteArrayOutputStream plain) {
        int value = 0;
        int digits = 0;
        while (digits < 2
                && at + 1 + digits < raw.length
                && Character.digit(raw[at + 1 + digits], 16) >= 0) {
            value = value * 16 + Character.digit(raw[at + 1 + digits], 16);
            digits++;
        }
        plain.write(digits == 0 ? 'x' : value);
        return at + digits;
    }

    private static int octal(byte[] raw, int at, ByteArrayOutputStream plain) {
        int value = 0;
        int digits = 0;
        while (digits < 3
                && at + digits < raw.length
                && Character.digit(raw[at + digits], 8) >= 0) {
            value = value * 8 + Character.digit(raw[at + digits], 8);
            digits++;
        }
        plain.write(value);
        return at + digits - 1;
    }

    private List<Optional<byte[]>> csv(int lineStart, int lineEnd) {
        List<Optional<byte[]>> values = new ArrayList<>(columns);
        byte[] value = value(lineEnd - lineStart);
        int length = 0;
        boolean wasQuoted = false;
        boolean quoted = false;
        for (int at = lineStart; at <= lineEnd; at++) {
            if (at == lineEnd && quoted) {
                throw bad("a quote at the end of a value", "the end of the line");
            }
            if (at == lineEnd || (!quoted && buffer[at] == options.delimiter())) {
                values.add(
                        !wasQuoted && isNull(value, 0, length)
                                ? Optional.empty()
                                : Optional.of(Arrays.copyOf(value, length)));
                length = 0;
                wasQuoted = false;
            } else if (quoted
                    && buffer[at] == options.escape()
                    && at + 1 < lineEnd
                    && (buffer[at + 1] == options.quote() || buffer[at + 1] == options.escape())) {
                at++;
                value[length++] = buffer[at];
            } else if (buffer[at] == options.quote()) {
                quoted = !quoted;
                wasQuoted = true;
            } else {
                value[length++] = buffer[at];
            }
        }
        return values;
    }

    /** Room for a value of CSV without its quotes. */
    private byte[] value(int lineBytes) {
        if (csvValue.length < lineBytes) {
            csvValue = new byte[Math.max(2 * csvValue.length, lineBytes)];
        }
        return csvValue;
    }

    private Optional<List<Optional<byte[]>>> nextBinary(boolean isLast) {
        if (!hasBegun && !readHeader(isLast)) {
            return Optional.empty();
        }
        hasBegun = true;
        if (end - start < Math.max(needed, 2)) {
            if (isLast && end > start) {
                throw bad("a row", "a part of one at the end");
            }
            return Optional.empty();
        }
        ByteBuffer in = ByteBuffer.wrap(buffer, start, end - start);
        int count = in.getShort();
        if (count == -1) {
            isDone = true;
            start = end;
            return Optional.empty();
        }
        rowNumber++;
        if (count != columns) {
            throw bad(columns + " values", Integer.toString(count));
        }
        needed = wholeRow(in.duplicate(), count);
        if (end - start < needed) {
            if (isLast) {
                throw bad("a row", "a part of one at the end");
            }
            rowNumber--;
            return Optional.empty();
        }
        needed = 0;
        List<Optional<byte[]>> values = new ArrayList<>(columns);
        for (int i = 0; i < count; i++) {
            int length = in.getInt();
            if (length == -1) {
                values.add(Optional.empty());
            } else {
                byte[] value = new byte[length];
                in.get(value);
                values.add(Optional.of(value));
            }
        }
        start = in.position();
        return Optional.of(values);
    }

    /** The bytes of a row of BINARY, or as many as show where the next of its values ends. */
    private int wholeRow(ByteBuffer in, int count) {
        for (int i = 0; i < count; i++) {
            if (in.remaining() < Integer.BYTES) {
                return in.position() - start + Integer.BYTES;
            }
            int length = in.getInt();
            if (length < -1 || length > MAX_ROW_BYTES) {
                throw bad("the length of a value", Integer.toString(length));
            }
            int bytes = Math.max(length, 0);
            if (bytes > in.remaining()) {
                return in.position() - start + bytes;
            }
            in.position(in.position() + bytes);
        }
        return in.position() - start;
    }

    private boolean readHeader(boolean isLast) {
        if (end - start < HEADER_BYTES) {
            if (isLast) {
                throw bad("the header of PostgreSQL's binary format", "other bytes");
            }
            return false;
        }
        if (!Arrays.equals(
                buffer, start, start + SIGNATURE.length, SIGNATURE, 0, SIGNATURE.length)) {
            throw bad("the header of PostgreSQL's binary format", "other bytes");
        }
        int extension = ByteBuffer.wrap(buffer).getInt(start + SIGNATURE.length + 4);
        if (extension < 0 || extension > MAX_ROW_BYTES) {
            throw bad("the length of an extension", Integer.toString(extension));
        }
        if (end - start < HEADER_BYTES + extension) {
            return false;
        }
        start += HEADER_BYTES + extension;
        return true;
    }

    /** The number of the row that was given last, from 1; with the header. */
    public long rowNumber() {
        return rowNumber;
    }

    private PostgresException bad(String expected, String found) {
        return new PostgresException(
                SqlState.BAD_COPY_FORMAT,
                "Expected %s in row %s of COPY, found %s".formatted(expected, rowNumber, found));
    }
}
