package io.stele.engine.tablet;

import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.datafile.SstFile;
import io.stele.engine.manifest.FileEntry;
import java.util.ArrayList;
import java.util.List;

/** The files that a flush wrote, open for reading, to be installed in their table. */
public record NewFiles(
        List<SstFile> sstFiles, List<ColumnFile> columnFiles, List<SstFile> indexFiles) {
    public NewFiles {
        sstFiles = List.copyOf(sstFiles);
        columnFiles = List.copyOf(columnFiles);
        indexFiles = List.copyOf(indexFiles);
    }

    public List<FileEntry> entries() {
        List<FileEntry> entries = new ArrayList<>();
        sstFiles.forEach(file -> entries.add(file.entry()));
        columnFiles.forEach(file -> entries.add(file.entry()));
        indexFiles.forEach(file -> entries.add(file.entry()));
        return entries;
    }
}
