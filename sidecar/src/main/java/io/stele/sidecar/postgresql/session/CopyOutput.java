package io.stele.sidecar.postgresql.session;

import io.stele.sidecar.postgresql.copy.CopyOptions;
import io.stele.sidecar.postgresql.copy.CopyWriter;
import io.stele.sidecar.postgresql.run.ResultRows;
import io.stele.sidecar.postgresql.wire.MessageWriter;
import io.stele.sidecar.postgresql.wire.Replies;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/**
 * A sender of a result's rows to the client as messages of COPY TO STDOUT. Confined to one thread.
 */
final class CopyOutput {
    private static final int HEAD_BYTES = 5; // type and length of a message

    private final CopyWriter writer;
    private final boolean isBinary;
    private final Replies replies;
    private final ByteArrayOutputStream row = new ByteArrayOutputStream();

    CopyOutput(CopyOptions options, Replies replies) {
        this.writer = new CopyWriter(options);
        this.isBinary = options.format() == CopyOptions.Format.BINARY;
        this.replies = replies;
    }

    /** Sends the rows; returns their number. */
    long send(List<String> columns, ResultRows rows) throws IOException {
        replies.copyResponse('H', isBinary, columns.size());
        send(writer.head(columns));
        MessageWriter out = new MessageWriter(row);
        long count = 0;
        while (rows.writeNext(out)) {
            out.flush();
            byte[] message = row.toByteArray();
            row.reset();
            send(writer.row(Arrays.copyOfRange(message, HEAD_BYTES, message.length)));
            count++;
        }
        send(writer.tail());
        replies.empty('c');
        return count;
    }

    private void send(byte[] bytes) throws IOException {
        if (bytes.length > 0) {
            replies.out().begin('d').putBytes(bytes).end();
        }
    }
}
