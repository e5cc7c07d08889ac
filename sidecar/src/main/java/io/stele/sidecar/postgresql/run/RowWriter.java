package io.stele.sidecar.postgresql.run;

import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.TableSchema;
import io.stele.sidecar.postgresql.plan.FixedPlan.ResultColumn;
import io.stele.sidecar.postgresql.type.BinaryFormat;
import io.stele.sidecar.postgresql.type.PostgresType;
import io.stele.sidecar.postgresql.type.TextFormat;
import io.stele.sidecar.postgresql.wire.MessageWriter;
import java.io.IOException;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * A writer of rows as DataRow messages of PostgreSQL's protocol. Integers, texts and bytes go from
 * the row to the message without an object in between. Confined to one thread at a time.
 */
final class RowWriter {
    private final List<ResultColumn> columns;
    private final DataType[] types; // of columns that are shown as they are
    private final boolean[] isBinary;
    private @Nullable Messages sink;

    /**
     * @param formats 0: text, 1: binary; none: all text, one: of all columns
     */
    RowWriter(TableSchema table, List<ResultColumn> columns, List<Integer> formats) {
        this.columns = columns;
        this.types = new DataType[columns.size()];
        this.isBinary = new boolean[columns.size()];
        for (int i = 0; i < columns.size(); i++) {
            int place = i;
            columns.get(i)
                    .column()
                    .ifPresent(column -> types[place] = table.columns().get(column).type());
            isBinary[i] = !formats.isEmpty() && formats.get(formats.size() == 1 ? 0 : i) == 1;
        }
    }

    /** The sink that writes to messages of a writer. */
    RowSink to(MessageWriter out) {
        if (sink == null || sink.out() != out) {
            sink = new Messages(out);
        }
        return sink;
    }

    private final class Messages implements RowSink {
        private final MessageWriter out;

        private Messages(MessageWriter out) {
            this.out = out;
        }

        private MessageWriter out() {
            return out;
        }

        @Override
        public void row(BinaryRow row, IntFunction<@Nullable Object> values) throws IOException {
            write(row, values, out);
        }

        @Override
        public void values(List<? extends @Nullable Object> values) throws IOException {
            write(values, out);
        }
    }

    private void write(BinaryRow row, IntFunction<@Nullable Object> values, MessageWriter out)
            throws IOException {
        out.begin('D').putShort(columns.size());
        for (int i = 0; i < types.length; i++) {
            DataType type = types[i];
            if (type == null
                    || !writeDirectly(
                            type, row, columns.get(i).column().orElseThrow(), isBinary[i], out)) {
                writeValue(columns.get(i).type(), values.apply(i), isBinary[i], out);
            }
        }
        out.end();
    }

    private void write(List<? extends @Nullable Object> values, MessageWriter out)
            throws IOException {
        out.begin('D').putShort(columns.size());
        for (int i = 0; i < columns.size(); i++) {
            writeValue(columns.get(i).type(), values.get(i), isBinary[i], out);
        }
        out.end();
    }

    private static void writeValue(
            PostgresType type, @Nullable Object value, boolean isBinary, MessageWriter out) {
        if (value == null) {
            out.putNull();
        } else if (isBinary) {
            int start = out.beginValue();
            BinaryFormat.write(type, value, out);
            out.endValue(start);
        } else {
            out.putValue(TextFormat.write(value));
        }
    }

    private static boolean writeDirectly(
            DataType type, BinaryRow row, int column, boolean isBinary, MessageWriter out) {
        if (row.isNull(column)) {
            out.putNull();
            return true;
        }
        return switch (type.kind()) {
            case TINYINT, SMALLINT -> {
                if (isBinary) {
                    out.putInt(2).putShort((int) row.longAt(column));
                } else {
                    writeDigits(row.longAt(column), out);
                }
                yield true;
            }
            case INTEGER -> {
                if (isBinary) {
                    out.putInt(4).putInt((int) row.longAt(column));
                } else {
                    writeDigits(row.longAt(column), out);
                }
                yield true;
            }
            case BIGINT -> {
                if (isBinary) {
                    out.putInt(8).putLong(row.longAt(column));
                } else {
                    writeDigits(row.longAt(column), out);
                }
                yield true;
            }
            case DOUBLE -> {
                if (isBinary) {
                    out.putInt(8).putLong(Double.doubleToLongBits(row.doubleAt(column)));
                }
                yield isBinary;
            }
            case VARCHAR, JSON -> {
                int length = row.bytesLength(column);
                out.putInt(length).putBytes(row.array(), row.bytesOffset(column), length);
                yield true;
            }
            case VARBINARY -> {
                if (isBinary) {
                    int length = row.bytesLength(column);
                    out.putInt(length).putBytes(row.array(), row.bytesOffset(column), length);
                }
                yield isBinary;
            }
            default -> false;
        };
    }

    private static void writeDigits(long value, MessageWriter out) {
        out.putValue(Long.toString(value));
    }
}
