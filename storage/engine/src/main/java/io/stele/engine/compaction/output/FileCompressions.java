package io.stele.engine.compaction.output;

import io.stele.columnfile.index.Compression;
import io.stele.columnfile.orc.write.OrcCompression;
import io.stele.protocol.schema.FileCompression;
import io.stele.protocol.schema.TableSchema;

/** A mapping of a table's compression option to the codecs of each kind of file. Stateless. */
final class FileCompressions {
    private FileCompressions() {}

    static Compression ofBlocks(TableSchema table) {
        return switch (chosen(table)) {
            case LZ4 -> Compression.LZ4;
            case ZSTD -> Compression.ZSTD;
            case NONE -> Compression.NONE;
        };
    }

    static OrcCompression ofStreams(TableSchema table) {
        return switch (chosen(table)) {
            case LZ4 -> OrcCompression.LZ4;
            case ZSTD -> OrcCompression.ZSTD;
            case NONE -> OrcCompression.NONE;
        };
    }

    private static FileCompression chosen(TableSchema table) {
        return table.options().compression().orElse(FileCompression.LZ4);
    }
}
