package ranksieve.engines;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.elasticsearch.xcontent.XContentBuilder;
import org.elasticsearch.xcontent.XContentParser;
import org.elasticsearch.xcontent.XContentParserConfiguration;
import org.elasticsearch.xcontent.json.JsonXContent;

/**
 * The learning-to-rank plugins of Elasticsearch and OpenSearch, by version.
 *
 * <p>The plugins' jars could not be had, so this is an evaluator of our own of what their source
 * does (see README.md). JSON goes through Elasticsearch's own parsers of objects, which decide
 * what is refused, and RankLib models through the RankLib of Elasticsearch's plugin.
 *
 * <p>The kind is that of the model's definition: linear, xgboost+json, ranklib. Without a kind
 * the text is the body of a call of _createmodel: type, definition and normalizers.
 */
public final class Elastic implements Engines {
    /** What a version does with a document that a feature does not match. */
    enum Missing { ZERO, RIGHT, LEARNED }

    /**
     * A version of a plugin.
     *
     * @param missing what trees do with a missing value
     * @param directions whether a split without the key missing cannot be loaded
     * @param rankObjectives whether rank:ndcg and rank:map are known
     */
    record Version(Missing missing, boolean directions, boolean rankObjectives) {}

    @Override
    public Engine get(String name) {
        Version version = version(name);
        return version == null ? null : (kind, model, names) -> load(version, kind, model, List.of(names));
    }

    private static Version version(String name) {
        if (name.equals("elasticsearch")) {
            return new Version(Missing.LEARNED, true, true);
        }
        if (name.startsWith("elasticsearch-")) {
            boolean learned = atLeast(name, 8, 11, 4);
            return new Version(learned ? Missing.LEARNED : Missing.ZERO, learned, learned);
        }
        if (!name.startsWith("opensearch-")) {
            return null;
        }
        if (!atLeast(name, 3, 2)) {
            return new Version(Missing.ZERO, false, false);
        }
        return new Version(atLeast(name, 3, 8) ? Missing.LEARNED : Missing.RIGHT, false, true);
    }

    /** Whether the version after the dash is this one or a later one. */
    private static boolean atLeast(String name, int... version) {
        int[] numbers = Arrays.stream(name.substring(name.indexOf('-') + 1).split("\\."))
            .mapToInt(Integer::parseInt).toArray();
        return Arrays.compare(numbers, version) >= 0;
    }

    private static Engine.Scorer load(Version version, String kind, String model, List<String> names)
        throws Exception {
        Ranker ranker = kind.isEmpty() ? uploaded(version, model, names) : ranker(version, kind, model, names);
        return values -> {
            float[] scores = new float[values.length];
            for (int feature = 0; feature < values.length; feature++) {
                scores[feature] = Double.isNaN(values[feature]) ? ranker.missing() : (float) values[feature];
            }
            return Float.toString(ranker.score(scores));
        };
    }

    /** A score from those of the features, in the order of the set. */
    interface Ranker {
        float score(float[] scores);

        default float missing() {
            return 0;
        }
    }

    private static Ranker ranker(Version version, String kind, String definition, List<String> names)
        throws Exception {
        return switch (kind) {
            case "linear" -> linear(definition, names);
            case "xgboost+json" -> ElasticTrees.parse(version, definition, names);
            case "ranklib" -> ElasticRankLib.parse(definition, names);
            default -> throw new IllegalArgumentException("no such type of model: model/" + kind);
        };
    }

    static XContentParser parser(String json) throws Exception {
        return JsonXContent.jsonXContent.createParser(XContentParserConfiguration.EMPTY, json);
    }

    private static Ranker linear(String definition, List<String> names) throws Exception {
        float[] weights = new float[names.size()];
        try (XContentParser parser = parser(definition)) {
            require(parser.nextToken() == XContentParser.Token.START_OBJECT, "an object of weights is expected");
            while (parser.nextToken() == XContentParser.Token.FIELD_NAME) {
                String name = parser.currentName();
                require(names.contains(name), "Feature [" + name + "] is unknown.");
                require(parser.nextToken() == XContentParser.Token.VALUE_NUMBER, "a weight must be a number");
                weights[names.indexOf(name)] = parser.floatValue();
            }
        }
        return scores -> {
            float sum = 0;
            for (int feature = 0; feature < weights.length; feature++) {
                sum += weights[feature] * scores[feature];
            }
            return sum;
        };
    }

    /** The body of _createmodel: {"model": {"name", "model": {"type", "definition", "feature_normalizers"}}}. */
    private static Ranker uploaded(Version version, String body, List<String> names) throws Exception {
        Map<?, ?> upload;
        try (XContentParser parser = parser(body)) {
            upload = parser.map();
        }
        Map<?, ?> outer = only(upload, "model");
        require(outer.keySet().equals(Set.of("name", "model")), "name and model are expected");
        Map<?, ?> model = (Map<?, ?>) outer.get("model");
        require(List.of("type", "definition", "feature_normalizers").containsAll(model.keySet()),
            "unknown field in " + model.keySet());
        String kind = ((String) model.get("type")).replaceFirst("^model/", "");
        Ranker inner = ranker(version, kind, text(model.get("definition")), names);
        Map<?, ?> normalizers = (Map<?, ?>) model.get("feature_normalizers");
        return normalizers == null ? inner : normalized(inner, normalizers, names);
    }

    private static String text(Object definition) throws Exception {
        if (definition instanceof String text) {
            return text;
        }
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        try (XContentBuilder builder = new XContentBuilder(JsonXContent.jsonXContent, written)) {
            builder.value(definition);
        }
        return written.toString(StandardCharsets.UTF_8);
    }

    private static Map<?, ?> only(Map<?, ?> object, String key) {
        require(object.keySet().equals(Set.of(key)), "only " + key + " is expected in " + object.keySet());
        return (Map<?, ?>) object.get(key);
    }

    private static Ranker normalized(Ranker inner, Map<?, ?> normalizers, List<String> names) {
        float[] subtracted = new float[names.size()];
        float[] divisors = new float[names.size()];
        Arrays.fill(divisors, 1);
        normalizers.forEach((name, normalizer) -> {
            int feature = names.indexOf((String) name);
            require(feature >= 0, "Feature " + name + " not found in feature set");
            Map<?, ?> kinds = (Map<?, ?>) normalizer;
            if (kinds.containsKey("standard")) {
                Map<?, ?> standard = only(kinds, "standard");
                subtracted[feature] = number(standard, "mean");
                divisors[feature] = number(standard, "standard_deviation");
            } else {
                Map<?, ?> range = only(kinds, "min_max");
                subtracted[feature] = number(range, "minimum");
                require(subtracted[feature] < number(range, "maximum"), "Minimum must be smaller than maximum");
                divisors[feature] = number(range, "maximum") - subtracted[feature];
            }
        });
        return new Ranker() {
            @Override
            public float score(float[] scores) {
                for (int feature = 0; feature < scores.length; feature++) {
                    scores[feature] = (scores[feature] - subtracted[feature]) / divisors[feature];
                }
                return inner.score(scores);
            }

            @Override
            public float missing() {
                return inner.missing();
            }
        };
    }

    private static float number(Map<?, ?> object, String key) {
        return ((Number) object.get(key)).floatValue();
    }

    static void require(boolean condition, String message) {
        if (!condition) {
            throw new IllegalArgumentException(message);
        }
    }
}
