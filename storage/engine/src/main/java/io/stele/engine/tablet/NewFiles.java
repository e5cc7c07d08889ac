package io.stele.engine.tablet;

import io.stele.engine.manifest.FileEntry;
import java.util.ArrayList;
import java.util.List;

/** The files that a flush wrote, open for reading. */
record NewFiles(List<RowFile> rowFiles, List<ColumnFile> columnFiles, List<RowFile> indexFiles) {
    NewFiles {
        rowFiles = List.copyOf(rowFiles);
        columnFiles = List.copyOf(columnFiles);
        indexFiles = List.copyOf(indexFiles);
    }

    List<FileEntry> entries() {
        List<FileEntry> entries = new ArrayList<>();
        rowFiles.forEach(file -> entries.add(file.entry()));
        columnFiles.forEach(file -> entries.add(file.entry()));
        indexFiles.forEach(file -> entries.add(file.entry()));
        return entries;
    }
}
