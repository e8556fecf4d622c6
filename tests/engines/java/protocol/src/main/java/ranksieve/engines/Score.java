package ranksieve.engines;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;

/**
 * Scores of documents by an engine.
 *
 * <pre>
 * Score ENGINE MODEL FEATURES.CSV   prints a score per line
 * Score LIST                        a file with lines of ENGINE, MODEL, FEATURES.CSV, OUTPUT
 * Score                             the same lines from standard input, each answered at once
 * </pre>
 *
 * ENGINE is a name, or a name and a kind of model: solr, opensearch-3.7/linear. Columns of a list
 * are separated by tabs, and each line is answered by ok, or by error and the engine's message.
 */
public final class Score {
    public static void main(String[] arguments) throws Exception {
        // What libraries print goes to standard error: standard output is for answers.
        PrintStream answers = System.out;
        System.setOut(System.err);
        if (arguments.length == 3) {
            String[] scores = scores(arguments[0], Path.of(arguments[1]), Path.of(arguments[2]));
            Arrays.stream(scores).forEach(answers::println);
        } else if (arguments.length == 1) {
            try (BufferedReader tasks = Files.newBufferedReader(Path.of(arguments[0]))) {
                answer(tasks, answers);
            }
        } else {
            answer(new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)), answers);
        }
        answers.flush();
        // Engines leave threads behind.
        System.exit(0);
    }

    private static void answer(BufferedReader tasks, PrintStream answers) throws IOException {
        for (String line = tasks.readLine(); line != null; line = tasks.readLine()) {
            String[] task = line.split("\t");
            try {
                Files.write(Path.of(task[3]), List.of(scores(task[0], Path.of(task[1]), Path.of(task[2]))));
                answers.println("ok");
            } catch (Exception | LinkageError | StackOverflowError error) {
                answers.println("error\t" + messages(error));
            }
            answers.flush();
        }
    }

    private static String messages(Throwable error) {
        StringBuilder text = new StringBuilder();
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            text.append(text.isEmpty() ? "" : ": ").append(cause.getClass().getSimpleName());
            text.append(' ').append(cause.getMessage());
        }
        return text.toString().replaceAll("\\s+", " ");
    }

    private static String[] scores(String engine, Path model, Path features) throws Exception {
        String[] parts = engine.split("/", 2);
        Documents documents = RECENT.get(features);
        if (documents == null) {
            documents = Documents.read(features);
            RECENT.put(features, documents);
        }
        Engine.Scorer scorer = engine(parts[0])
            .load(parts.length == 2 ? parts[1] : "", Files.readString(model), documents.names());
        return scorer.scores(documents.values());
    }

    private record Documents(String[] names, double[][] values) {
        static Documents read(Path path) throws IOException {
            List<String> lines = Files.readAllLines(path);
            String[] names = lines.get(0).split(",", -1);
            double[][] values = new double[lines.size() - 1][];
            for (int row = 0; row < values.length; row++) {
                values[row] = Score.values(lines.get(row + 1), names.length);
            }
            return new Documents(names, values);
        }
    }

    /** The documents that were read last: a list often has many models for the same ones. */
    private static final Map<Path, Documents> RECENT = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Path, Documents> eldest) {
            return size() > 4;
        }
    };

    private static double[] values(String line, int count) {
        String[] cells = line.split(",", -1);
        if (cells.length != count) {
            throw new IllegalArgumentException(cells.length + " cells for " + count + " features: " + line);
        }
        return Arrays.stream(cells)
            .mapToDouble(cell -> cell.isEmpty() ? Double.NaN : Double.parseDouble(cell))
            .toArray();
    }

    private static Engine engine(String name) {
        for (Engines engines : ServiceLoader.load(Engines.class)) {
            Engine engine = engines.get(name);
            if (engine != null) {
                return engine;
            }
        }
        throw new IllegalArgumentException("there is no engine " + name + " in this module");
    }
}
