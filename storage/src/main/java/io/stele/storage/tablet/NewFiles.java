package io.stele.storage.tablet;

import io.stele.storage.manifest.FileEntry;
import java.util.ArrayList;
import java.util.List;

/** What a flush or a compaction wrote, open for reading. */
record NewFiles(List<RowFile> rowFiles, List<ColumnFile> columnFiles) {
    static final NewFiles NONE = new NewFiles(List.of(), List.of());

    NewFiles {
        rowFiles = List.copyOf(rowFiles);
        columnFiles = List.copyOf(columnFiles);
    }

    List<FileEntry> entries() {
        List<FileEntry> entries = new ArrayList<>();
        rowFiles.forEach(file -> entries.add(file.entry()));
        columnFiles.forEach(file -> entries.add(file.entry()));
        return entries;
    }
}
