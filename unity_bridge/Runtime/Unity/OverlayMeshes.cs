using System;
using Arwarden.Core;
using UnityEngine;

namespace Arwarden.Unity
{
    /// <summary>The overlay's flat shapes, made by hand so that no asset can go missing. Units are metres.</summary>
    internal static class OverlayMeshes
    {
        private static readonly int[] FrameTriangles =
        {
            0, 1, 5, 0, 5, 4, 1, 2, 6, 1, 6, 5, 2, 3, 7, 2, 7, 6, 3, 0, 4, 3, 4, 7,
        };

        public static Mesh Rectangle(float width, float height)
        {
            float x = width / 2;
            float y = height / 2;
            return Make(
                new[] { new Vector3(-x, y, 0), new Vector3(x, y, 0), new Vector3(x, -y, 0), new Vector3(-x, -y, 0) },
                new[] { 0, 1, 2, 0, 2, 3 });
        }

        /// <summary>One shape for each severity: what colours say is said to those too who do not see colours.</summary>
        public static Mesh Sign(Severity severity, float size)
        {
            switch (severity)
            {
                case Severity.Critical:
                    return Polygon(8, size / 2, Mathf.PI / 8);
                case Severity.Warning:
                    return Polygon(3, size / 2 * 1.15f, Mathf.PI / 2);
                default:
                    return Polygon(32, size / 2, 0);
            }
        }

        public static Mesh Disc(float size)
        {
            return Polygon(32, size / 2, 0);
        }

        /// <summary>An outline of four corners that are set later.</summary>
        public static Mesh Frame()
        {
            return Make(new Vector3[8], FrameTriangles);
        }

        /// <summary>Puts an outline around a rectangle of the panel.</summary>
        public static void SetFrame(Mesh mesh, Vector3[] vertices, float width, float height, float edge)
        {
            float x = width / 2;
            float y = height / 2;
            vertices[0] = new Vector3(-x, y, 0);
            vertices[1] = new Vector3(x, y, 0);
            vertices[2] = new Vector3(x, -y, 0);
            vertices[3] = new Vector3(-x, -y, 0);
            vertices[4] = new Vector3(-x + edge, y - edge, 0);
            vertices[5] = new Vector3(x - edge, y - edge, 0);
            vertices[6] = new Vector3(x - edge, -y + edge, 0);
            vertices[7] = new Vector3(-x + edge, -y + edge, 0);
            Apply(mesh, vertices);
        }

        /// <summary>Puts an outline on four corners of the world, its inner edge so far towards the middle.</summary>
        public static void SetFrame(Mesh mesh, Vector3[] vertices, Vector3D[] corners, double edgeM)
        {
            Vector3D middle = (corners[0] + corners[1] + corners[2] + corners[3]) * 0.25;
            for (int i = 0; i < 4; i++)
            {
                Vector3D inward = middle - corners[i];
                double share = inward.Length > 0 ? Math.Min(0.5, edgeM * 1.41 / inward.Length) : 0;
                vertices[i] = Axes.Of(corners[i]);
                vertices[i + 4] = Axes.Of(corners[i] + (inward * share));
            }
            Apply(mesh, vertices);
        }

        private static void Apply(Mesh mesh, Vector3[] vertices)
        {
            mesh.vertices = vertices;
            mesh.RecalculateBounds();
        }

        private static Mesh Polygon(int corners, float radius, float turn)
        {
            var vertices = new Vector3[corners + 1];
            var triangles = new int[3 * corners];
            for (int i = 0; i < corners; i++)
            {
                float angle = turn + (2 * Mathf.PI * i / corners);
                vertices[i + 1] = new Vector3(Mathf.Cos(angle) * radius, Mathf.Sin(angle) * radius, 0);
                triangles[3 * i] = 0;
                triangles[(3 * i) + 1] = 1 + ((i + 1) % corners);
                triangles[(3 * i) + 2] = 1 + i;
            }
            return Make(vertices, triangles);
        }

        private static Mesh Make(Vector3[] vertices, int[] triangles)
        {
            var mesh = new Mesh();
            mesh.vertices = vertices;
            mesh.triangles = triangles;
            mesh.RecalculateBounds();
            return mesh;
        }
    }
}
