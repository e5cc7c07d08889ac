package io.stele.columnfile.orc;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hive.ql.exec.vector.BytesColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.LongColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.VectorizedRowBatch;
import org.apache.orc.CompressionKind;
import org.apache.orc.OrcFile;
import org.apache.orc.Reader;
import org.apache.orc.RecordReader;
import org.apache.orc.TypeDescription;
import org.apache.orc.Writer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The ORC library works with the few jars of the storage module, in each codec Stele writes. */
final class TestOrcLibrary {
    @Test
    void roundTrip(@TempDir Path directory) throws Exception {
        Configuration configuration = new Configuration(false);
        TypeDescription schema = TypeDescription.fromString("struct<id:bigint,name:string>");
        for (CompressionKind kind :
                new CompressionKind[] {
                    CompressionKind.NONE, CompressionKind.LZ4, CompressionKind.ZSTD
                }) {
            org.apache.hadoop.fs.Path path =
                    new org.apache.hadoop.fs.Path(directory.resolve(kind + ".orc").toUri());
            try (Writer writer =
                    OrcFile.createWriter(
                            path,
                            OrcFile.writerOptions(configuration)
                                    .setSchema(schema)
                                    .compress(kind))) {
                VectorizedRowBatch batch = schema.createRowBatch();
                for (int row = 0; row < 1000; row++) {
                    ((LongColumnVector) batch.cols[0]).vector[row] = row;
                    ((BytesColumnVector) batch.cols[1])
                            .setVal(row, ("name-" + row).getBytes(StandardCharsets.UTF_8));
                }
                batch.size = 1000;
                writer.addRowBatch(batch);
            }
            try (Reader reader = OrcFile.createReader(path, OrcFile.readerOptions(configuration));
                    RecordReader rows = reader.rows()) {
                VectorizedRowBatch batch = reader.getSchema().createRowBatch();
                long sum = 0;
                while (rows.nextBatch(batch)) {
                    for (int row = 0; row < batch.size; row++) {
                        sum += ((LongColumnVector) batch.cols[0]).vector[row];
                    }
                }
                assertThat(sum).as(kind.toString()).isEqualTo(499_500);
            }
        }
    }
}
