package io.stele.sidecar.postgresql.copy;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/**
 * A writer of the rows of COPY TO. A row is given as the content of a DataRow message, which of
 * BINARY is the row as it is. Confined to one thread.
 *
 * @see <a href="https://www.postgresql.org/docs/15/sql-copy.html">PostgreSQL 15, COPY</a>
 */
public final class CopyWriter {
    private static final byte[] BINARY_END = {(byte) 0xFF, (byte) 0xFF};

    private final CopyOptions options;
    private final byte[] nullText;

    public CopyWriter(CopyOptions options) {
        this.options = options;
        this.nullText = options.nullText().getBytes(UTF_8);
    }

    /** What comes before the rows; may be empty. */
    public byte[] head(List<String> columns) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        if (options.format() == CopyOptions.Format.BINARY) {
            out.writeBytes(CopyReader.signature());
            out.writeBytes(new byte[8]); // no flags, no extension
        } else if (options.header()) {
            for (int i = 0; i < columns.size(); i++) {
                value(columns.get(i).getBytes(UTF_8), i, out);
            }
            out.write('\n');
        }
        return out.toByteArray();
    }

    /**
     * One row.
     *
     * @param row number of values, then length and bytes of each, with length -1 for NULL
     */
    public byte[] row(byte[] row) {
        if (options.format() == CopyOptions.Format.BINARY) {
            return row;
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream(row.length + 16);
        ByteBuffer in = ByteBuffer.wrap(row);
        int count = in.getShort();
        for (int i = 0; i < count; i++) {
            int length = in.getInt();
            if (length < 0) {
                separate(i, out);
                out.writeBytes(nullText);
            } else {
                byte[] bytes = new byte[length];
                in.get(bytes);
                value(bytes, i, out);
            }
        }
        out.write('\n');
        return out.toByteArray();
    }

    /** What comes after the rows; may be empty. */
    public byte[] tail() {
        return options.format() == CopyOptions.Format.BINARY ? BINARY_END.clone() : new byte[0];
    }

    private void separate(int column, ByteArrayOutputStream out) {
        if (column > 0) {
            out.write(options.delimiter());
        }
    }

    private void value(byte[] bytes, int column, ByteArrayOutputStream out) {
        separate(column, out);
        if (options.format() == CopyOptions.Format.TEXT) {
            escaped(bytes, out);
        } else if (needsQuotes(bytes)) {
            quoted(bytes, out);
        } else {
            out.writeBytes(bytes);
        }
    }

    private void escaped(byte[] bytes, ByteArrayOutputStream out) {
        for (byte each : bytes) {
            int letter =
                    switch (each) {
                        case '\b' -> 'b';
                        case '\f' -> 'f';
                        case '\n' -> 'n';
                        case '\r' -> 'r';
                        case '\t' -> 't';
                        case 0x0B -> 'v';
                        case '\\' -> '\\';
                        default -> each == options.delimiter() ? each : 0;
                    };
            if (letter == 0) {
                out.write(each);
            } else {
                out.write('\\');
                out.write(letter);
            }
        }
    }

    private boolean needsQuotes(byte[] bytes) {
        // \. alone would end the rows
        if (Arrays.equals(bytes, nullText) || (bytes.length == 2 && bytes[0] == '\\')) {
            return true;
        }
        for (byte each : bytes) {
            if (each == options.delimiter()
                    || each == options.quote()
                    || each == '\n'
                    || each == '\r') {
                return true;
            }
        }
        return false;
    }

    private void quoted(byte[] bytes, ByteArrayOutputStream out) {
        out.write(options.quote());
        for (byte each : bytes) {
            if (each == options.quote() || each == options.escape()) {
                out.write(options.escape());
            }
            out.write(each);
        }
        out.write(options.quote());
    }
}
